"""Peers from PyPI, run in throw-away environments so that nothing of them enters ours.

A peer is a script beside this file that runs in its own environment. It reads requests from its standard
input, one JSON object a line, and answers each with one line.
"""

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rayzero.errors import UserError


class Peer:
    """A running peer; use `running_peer` to get one."""

    def __init__(self, process: "subprocess.Popen[str]", name: str) -> None:
        self._process = process
        self._name = name

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise UserError(f"The peer {self._name} ended with code {self._process.wait()} instead of answering.")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def running_peer(script: str, *packages: str) -> Iterator[Peer]:
    """Run a script of this folder in a new environment with these packages; both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="rayzero-peer-") as folder:
        print(f"installing {', '.join(packages)} into a throw-away environment", file=sys.stderr, flush=True)
        try:
            venv.create(folder, with_pip=True)
        except subprocess.CalledProcessError as error:
            raise UserError("No environment can be made for the peer: this Python has no ensurepip.") from error
        python = next(
            path for path in (Path(folder, "bin/python"), Path(folder, "Scripts/python.exe")) if path.exists()
        )
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        installed = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if installed.returncode:
            reason = (installed.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise UserError(f"{', '.join(packages)} can't be installed from PyPI: {reason}")
        process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name(f"{script}.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield Peer(process, script)
        finally:
            assert process.stdin
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

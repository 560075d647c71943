"""The console: a live panel on a terminal, a plain line an interval elsewhere, warnings only when quiet."""

import sys
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console as RichConsole
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text


class Line(NamedTuple):
    """What a person sees of an interval: at most eight numbers."""

    numbers: Sequence[tuple[str, str]]  # name and value
    share: float | None  # of the run's limit, 0 to 1; None without a limit


class Console:
    """Says things once, and shows the newest line."""

    def __init__(self, title: str, quiet: bool) -> None:
        self._title = title
        self._quiet = quiet
        self._rich = RichConsole(highlight=False, emoji=False)
        self._live: Live | None = None

    def say(self, text: str) -> None:
        """Something worth reading once."""
        if not self._quiet:
            self._rich.print(Text(text), soft_wrap=True)

    def warn(self, text: str) -> None:
        """Something that is wrong: said even when quiet."""
        if self._quiet or not self._rich.is_terminal:
            print(f"! {text}", file=sys.stderr, flush=True)
        else:
            self._rich.print(Text(f"! {text}", style="yellow"), soft_wrap=True)

    def show(self, line: Line) -> None:
        """The state of the run."""
        if self._quiet:
            return
        if not self._rich.is_terminal:
            print("  ".join(f"{name} {value}" if name else value for name, value in line.numbers), flush=True)
            return
        if self._live is None:
            self._live = Live(console=self._rich, refresh_per_second=4, transient=True)
            self._live.start()
        self._live.update(self._panel(line))

    def close(self) -> None:
        """Give the terminal back."""
        if self._live:
            self._live.stop()
            self._live = None

    def _panel(self, line: Line) -> Panel:
        table = Table.grid(padding=(0, 3), expand=True)
        table.add_row(*(Text(name or "time", style="dim") for name, _ in line.numbers))
        table.add_row(*(Text(value, style="bold") for _, value in line.numbers))
        if line.share is None:
            return Panel(table, title=self._title, title_align="left")
        return Panel(Group(table, ProgressBar(100, 100 * line.share)), title=self._title, title_align="left")

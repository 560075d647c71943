"""The benchmark of nets measures everything it promises."""

import argparse

import torch

from rayzero.bench import net


def test_every_figure_is_there():
    parser = argparse.ArgumentParser()
    net.add_arguments(parser)
    arguments = ["tictactoe", "net.channels=8", "net.blocks=1", "learner.batch=16"]
    options = parser.parse_args([*arguments, "--batches", "2", "--threads", "1", "--seconds", "0.01", "--clock", "cpu"])
    threads = torch.get_num_threads()
    try:
        rows = {row.name: row for row in net.run(options)}
    finally:
        torch.set_num_threads(threads)
    assert all(row.value > 0 for row in rows.values())
    for engine in ("torch/float32", "torch/bfloat16", "openvino/float32", "openvino/bfloat16", "openvino/int8"):
        assert f"swap/{engine}/threads1" in rows
        assert rows[f"{engine}/batch2/threads1"].note.endswith("x eager")
    assert rows["eager/float32/batch2/threads1"].note == "1.00 x eager"
    assert {f"training/learner/{precision}/threads1" for precision in ("float32", "bfloat16")} <= rows.keys()

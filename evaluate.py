"""Measure: python evaluate.py MODEL --opponent mcts:1000 --games 40"""

import sys

from rayzero.cli import run
from rayzero.commands import evaluate

if __name__ == "__main__":
    sys.exit(run(evaluate))

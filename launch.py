"""Train: python launch.py conf/gomoku15.yaml [key=value ...]"""

import sys

from rayzero.cli import run
from rayzero.commands import train

if __name__ == "__main__":
    sys.exit(run(train))

"""python -m rayzero.play [MODEL]"""

import sys

from rayzero.cli import run
from rayzero.play.cli import main

sys.exit(run(main))

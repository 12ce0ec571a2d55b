"""``python -m thunder_symbolic`` is the command line."""

import sys

from thunder_symbolic.cli import main

sys.exit(main())

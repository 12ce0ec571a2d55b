"""The command line: ``thunder-symbolic doctor``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from thunder_symbolic import __version__
from thunder_symbolic.doctor import diagnose, report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the words behind the program's name; those of the process where None.

    Returns:
        int: the exit status: 0 where all patches are applied and a jitted call works, else 1.
    """
    parser = argparse.ArgumentParser(prog="thunder-symbolic", description="Symbolic shapes for Lightning Thunder.")
    parser.add_argument("--version", action="version", version=f"thunder-symbolic {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    doctor = commands.add_parser("doctor", help="show what is patched, and test one jitted call")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    found = diagnose()
    print(report(found, as_json=options.json))
    return 0 if found.healthy else 1

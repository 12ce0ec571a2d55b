"""Errors of tracing say which line of the user's program they come from."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import thunder
import thunder_symbolic
import torch

_PATCH = Path(__file__).parents[2]
_LIBRARIES = [Path(str(module.__file__)).parent for module in (thunder, thunder_symbolic, torch)]


def _is_users(file: str) -> bool:
    path = Path(file)
    if file.startswith("<") or any(path.is_relative_to(library) for library in _LIBRARIES):
        return False
    return not path.is_relative_to(_PATCH) or path.is_relative_to(_PATCH / "tests")


def _place(error: Exception) -> tuple[str, int] | None:
    """Return file and line of the user's program where Thunder or torch raised ``error``; None where the user did."""
    frames = traceback.extract_tb(error.__traceback__)
    # An operation that Thunder lacks is refused in the user's frame
    refused = isinstance(error, NotImplementedError) and "not yet supported" in str(error)
    if not frames or (_is_users(frames[-1].filename) and not refused):
        return None
    places = [(frame.filename, frame.lineno or 0) for frame in frames]
    # What the interpreter itself reports stands in its text
    places += [(file, int(line)) for file, line in re.findall(r'File "([^"]+)", line (\d+)', str(error))]
    users = [(file, line) for file, line in places if line and _is_users(file)]
    return users[-1] if users else None


@contextmanager
def errors_name_the_line() -> Iterator[None]:
    """Add the user's line, which names the operator, to the text of what is raised inside by Thunder or torch."""
    try:
        yield
    except Exception as error:
        place = _place(error)
        if place is not None and error.args and isinstance(error.args[0], str):
            file, line = place
            source = linecache.getline(file, line).strip()
            error.args = (f"{error.args[0]}\n  at {file}:{line}: {source}", *error.args[1:])
        raise

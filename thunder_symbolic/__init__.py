"""Symbolic shapes for Lightning Thunder: the loader of the patch tree.

Importing this package imports neither Thunder nor torch. The startup file of the distribution calls
``thunder_symbolic.startup.arm``, and the patches are applied when ``thunder`` is imported.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost every interpreter of the environment milliseconds
if TYPE_CHECKING:
    from thunder_symbolic.loader import applied, install, uninstall

__version__ = "0.1.0"

__all__ = ["__version__", "applied", "install", "uninstall"]


def __getattr__(name: str) -> object:
    if name in ("applied", "install", "uninstall"):
        from thunder_symbolic import loader

        return getattr(loader, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

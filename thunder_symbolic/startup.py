"""What runs in every interpreter of the environment: it waits for ``import thunder`` and does nothing else."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

armed_by: list[str] = []
failure: BaseException | None = None


def is_off() -> bool:
    """Return whether ``THUNDER_SYMBOLIC`` switches the patches off."""
    return _setting() in ("off", "0", "false", "no")


def is_compatibility_only() -> bool:
    """Return whether ``THUNDER_SYMBOLIC=compat`` asks for upstream, importable beside a newer torch, as it is."""
    return _setting() == "compat"


def _setting() -> str:
    return os.environ.get("THUNDER_SYMBOLIC", "").strip().lower()


class _WaitForThunder:
    """Installs the patches at the first import of ``thunder``, then steps aside."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "thunder":
            return None
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not _WaitForThunder]
        import importlib.util

        from thunder_symbolic import loader

        loader.install()
        return importlib.util.find_spec(name)


def arm(by: str = "call") -> None:
    """Patch Thunder when it is imported; never raises.

    Args:
        by: which startup file, or what else, called.
    """
    global failure
    try:
        armed_by.append(by)
        if not is_off() and "thunder" not in sys.modules and _WaitForThunder not in sys.meta_path:
            sys.meta_path.insert(0, _WaitForThunder)
    except BaseException as error:
        failure = error


def arm_from_pth() -> None:
    """Entry point of the ``.pth`` file."""
    arm(".pth")


def arm_from_start() -> None:
    """Entry point of the ``.start`` file (PEP 829)."""
    arm(".start")

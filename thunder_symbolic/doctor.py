"""``thunder-symbolic doctor``: what is patched in this environment, what is not, and whether it works."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass, field

_SELF_TEST = """
import warnings; warnings.simplefilter("ignore")
import torch, thunder
jitted = thunder.jit(lambda a: a + 1, cache="symbolic values")
for rows in (2, 3):
    assert torch.equal(jitted(torch.ones(rows)), torch.ones(rows) + 1)
assert len(thunder.compile_stats(jitted).interpreter_cache) == 1
"""


@dataclass
class Diagnosis:
    """What the doctor found.

    Attributes:
        versions: of Python and of each distribution that takes part.
        startup: which startup files ran in this interpreter.
        applied: full names of the upstream objects that are patched.
        not_applied: full names of those that are declared and not patched.
        refused: what the source gate found different.
        stale: names bound elsewhere in Thunder that still point at an original.
        self_test: "passed", or the error of one jitted call on two shapes.
    """

    versions: dict[str, str]
    startup: list[str]
    applied: list[str] = field(default_factory=list)
    not_applied: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    self_test: str = "not run"
    error: str | None = None

    @property
    def healthy(self) -> bool:
        """Whether everything is applied and works."""
        faults = (self.not_applied, self.refused, self.stale, self.error)
        return bool(self.applied) and not any(faults) and self.self_test == "passed"


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _run_self_test() -> str:
    result = subprocess.run([sys.executable, "-c", _SELF_TEST], capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return "passed"
    lines = result.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit status {result.returncode}"


def diagnose() -> Diagnosis:
    """Import Thunder as a user would, and return what is patched and whether a jitted call works."""
    from thunder_symbolic import startup

    distributions = ("thunder-symbolic", "lightning-thunder", "torch", "wrapt")
    versions = {"python": platform.python_version(), **{name: _version(name) for name in distributions}}
    found = Diagnosis(versions, list(startup.armed_by))
    if startup.is_off():
        found.error = "THUNDER_SYMBOLIC switches the patches off in this environment"
        return found
    if startup.is_compatibility_only():
        found.error = "THUNDER_SYMBOLIC=compat applies no patch but those for a newer torch in this environment"
        return found
    if startup.failure is not None:
        found.error = f"the startup file failed: {startup.failure}"
        return found
    if not startup.armed_by:
        found.error = "no startup file ran: install the distribution with pip (a plain PYTHONPATH does not arm it)"
        return found
    try:
        import thunder  # noqa: F401

        _inspect(found)
    except Exception as error:
        found.error = f"{type(error).__name__}: {error}"
        return found
    found.self_test = _run_self_test()
    return found


def _inspect(found: Diagnosis) -> None:
    from thunder_symbolic import loader, sources
    from thunder_symbolic.binding import bound_elsewhere
    from thunder_symbolic.tree import patch_files

    found.applied = sorted(loader.applied())
    found.refused = loader.refusal()
    declared = {
        f"{module}.{target}" for module, path in patch_files().items() for target in sources.declared_targets(path)
    }
    found.not_applied = sorted(name for name in declared - set(found.applied) if name.rsplit(".", 1)[0] in sys.modules)
    for entry in loader.bindings():
        if callable(entry.original) and not isinstance(entry.original, type):
            found.stale += [f"{module.__name__}.{name}" for module, name in bound_elsewhere(entry.original)]


def report(found: Diagnosis, *, as_json: bool = False) -> str:
    """Return the diagnosis as text for a terminal, or as JSON."""
    if as_json:
        return json.dumps({**asdict(found), "healthy": found.healthy}, indent=2)
    lines = [f"{name:18} {version}" for name, version in found.versions.items()]
    lines.append(f"{'startup':18} {', '.join(found.startup) or 'none'}")
    lines += [f"patched            {name}" for name in found.applied]
    lines += [f"NOT PATCHED        {name}" for name in found.not_applied]
    lines += [f"DIFFERS            {name}" for name in found.refused]
    lines += [f"STILL ORIGINAL     {name}" for name in found.stale]
    lines.append(f"{'self-test':18} {found.self_test}")
    if found.error is not None:
        lines.append(f"{'error':18} {found.error}")
    lines.append(f"{'verdict':18} {'all is applied' if found.healthy else 'NOT in order'}")
    return "\n".join(lines)

"""Puts the startup files beside the package, in wheels and in editable installs."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_STARTUP = {f"packaging/thunder_symbolic.{kind}": f"thunder_symbolic.{kind}" for kind in ("pth", "start")}


class StartupFiles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the startup files; an editable install finds the patch tree in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_data["force_include" if version != "editable" else "force_include_editable"].update(
            {f"{self.root}/{source}": target for source, target in _STARTUP.items()}
        )

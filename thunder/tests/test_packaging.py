"""What pip installs: the package, the patch tree inside it, and the startup files beside it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", folder, ROOT]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_never_overwrites_upstream(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.startswith("thunder/")]
    assert not [name for name in names if "/tests/" in name]
    assert "thunder_symbolic/tree/core/proxies.py" in names
    assert "thunder_symbolic/sources.json" in names
    assert {"thunder_symbolic.pth", "thunder_symbolic.start"} <= set(names)


def test_wheel_holds_the_whole_tree(wheel: Path) -> None:
    prefix = "thunder_symbolic/tree/"
    packed = {name.removeprefix(prefix) for name in zipfile.ZipFile(wheel).namelist() if name.startswith(prefix)}
    tree = ROOT / "thunder"
    here = {str(path.relative_to(tree)) for path in tree.rglob("*.py") if path.relative_to(tree).parts[0] != "tests"}
    assert packed == here


def test_install_and_uninstall(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    folder = next(environment.glob("lib/python*/site-packages"))
    # The dependencies of the environment that runs the tests, without its own startup files
    (folder / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def run(*command: object) -> str:
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        result = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, cwd=tmp_path, env=clean, check=False
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def pip(*command: object) -> None:
        run(python, "-m", "pip", "--disable-pip-version-check", *command)

    pip("install", "--no-deps", "--ignore-installed", "-q", wheel)
    assert "all is applied" in run(environment / "bin" / "thunder-symbolic", "doctor")
    where = "import thunder_symbolic.tree as t; import thunder; print(t.tree_root())"
    assert str(folder) in run(python, "-W", "ignore", "-c", where)
    pip("uninstall", "-y", "-q", "thunder-symbolic")
    assert not [path for path in folder.iterdir() if "symbolic" in path.name]

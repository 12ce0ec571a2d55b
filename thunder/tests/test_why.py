"""The examples of docs/why.md print what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "why.md").read_text()
EXAMPLES = re.findall(
    r"<!-- example -->\n```python\n(.*?)```\n\nprints\n\n<!-- output -->\n```\n(.*?)```", PAGE, re.DOTALL
)


def _without_what_varies(text: str, folder: Path) -> str:
    return re.sub(r"\d+\.\d\d s", "0.10 s", text).replace(f"{folder}/", "")


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) == PAGE.count("```python") == 4


@pytest.mark.parametrize("example", range(len(EXAMPLES)))
def test_example_prints_its_output(example: int, tmp_path: Path) -> None:
    code, printed = EXAMPLES[example]
    script = tmp_path / "example.py"
    script.write_text(code)
    run = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert _without_what_varies(run.stdout, tmp_path) == printed

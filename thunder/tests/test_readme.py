"""The example in the README prints what the README says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_example_prints_its_output(tmp_path: Path) -> None:
    code = re.search(r"<!-- example.*?-->\n```python\n(.*?)```", README, re.DOTALL)
    printed = re.search(r"<!-- output.*?-->\n```\n(.*?)```", README, re.DOTALL)
    assert code is not None and printed is not None
    script = tmp_path / "example.py"
    script.write_text(code[1])
    run = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, check=True)
    assert run.stdout == printed[1]

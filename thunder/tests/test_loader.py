"""The loader patches Thunder when it is imported: all of it or nothing, and takes it back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest
import thunder_symbolic
from thunder_symbolic import loader, sources
from thunder_symbolic.cli import main


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def output(code: str, **environment: str) -> str:
    result = run(code, **environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


_BRANCH = """
import torch, thunder
jitted = thunder.jit(lambda x: x + 1 if x.shape[0] > 4 else x - 1, cache="symbolic values")
print(jitted(torch.ones(5))[0].item(), jitted(torch.ones(3))[0].item())
"""


def test_plain_import_is_patched() -> None:
    assert output(_BRANCH) == "2.0 0.0"


def test_python_without_thunder_imports_nothing_heavy() -> None:
    code = "import sys; print([m for m in ('torch', 'thunder', 'wrapt', 'inspect', 'typing') if m in sys.modules])"
    assert output(code) == "[]"


def test_torch_is_left_as_found() -> None:
    code = """
    import torch
    before = set(dir(torch.Tensor)), set(dir(torch.nn.functional))
    import thunder
    print(before == (set(dir(torch.Tensor)), set(dir(torch.nn.functional))))
    """
    assert output(code) == "True"


# Off, upstream's own import fails beside a torch that dropped operations: the test lends them itself
_LEND = """
import torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):
        function = lambda self: None
        function.__name__ = name
        setattr(torch.Tensor, name, function)
"""


@pytest.mark.parametrize("word", ["off", "OFF", "0", "false", "no"])
def test_off_leaves_upstream_untouched(word: str) -> None:
    assert output(_LEND + _BRANCH, THUNDER_SYMBOLIC=word) == "2.0 2.0"


def test_uninstall_restores_upstream_and_install_patches_again() -> None:
    code = """
    import torch, thunder, thunder_symbolic
    def second():
        jitted = thunder.jit(lambda x: x + 1 if x.shape[0] > 4 else x - 1, cache="symbolic values")
        jitted(torch.ones(5))
        return jitted(torch.ones(3))[0].item()
    names = thunder_symbolic.applied()
    thunder_symbolic.install()
    assert thunder_symbolic.applied() == names
    print(second(), end=" ")
    thunder_symbolic.uninstall()
    thunder_symbolic.uninstall()
    assert thunder_symbolic.applied() == []
    print(second(), end=" ")
    thunder_symbolic.install()
    print(second())
    """
    assert output(code) == "0.0 2.0 0.0"


def test_constant_values_are_compiled_as_by_upstream() -> None:
    code = """
    import re, torch, torch.nn as nn, thunder
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8))
    jitted = thunder.jit(model)
    jitted(torch.ones(2, 4)).sum().backward()
    traces = thunder.last_prologue_traces(jitted) + thunder.last_traces(jitted)
    traces += thunder.last_backward_traces(jitted)
    print(re.sub(r"took \\d+ milli|0x[0-9a-f]+", "", "".join(map(str, traces))))
    """
    assert output(code) == output(_LEND + textwrap.dedent(code), THUNDER_SYMBOLIC="off")


def test_record_of_sources_is_in_step_with_the_patches() -> None:
    assert json.loads(sources.RECORD.read_text()) == sources.record(), "run `make lock`"
    assert sources.differences() == []


def _altered() -> tuple[dict[str, object], str]:
    recorded = json.loads(sources.RECORD.read_text())
    entry = recorded["modules"]["thunder.core.proxies"]
    entry["file"] = entry["objects"]["TensorProxy.shape"] = "0" * 64
    return recorded, "thunder.core.proxies.TensorProxy.shape"


def test_one_altered_source_is_found_by_name() -> None:
    recorded, name = _altered()
    assert sources.differences(recorded) == [name]


def test_a_changed_file_with_unchanged_objects_is_accepted() -> None:
    recorded = json.loads(sources.RECORD.read_text())
    for entry in recorded["modules"].values():
        entry["file"] = "0" * 64
    assert sources.differences(recorded) == []


def test_one_altered_source_leaves_everything_unpatched(tmp_path: Path) -> None:
    recorded, name = _altered()
    record = tmp_path / "sources.json"
    record.write_text(json.dumps(recorded))
    code = f"""
    import pathlib, warnings
    from thunder_symbolic import sources
    sources.RECORD = pathlib.Path({str(record)!r})
    {_LEND.strip().replace(chr(10), chr(10) + "    ")}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import thunder
    import thunder_symbolic
    print(thunder_symbolic.applied())
    print([str(w.message) for w in caught if "thunder-symbolic" in str(w.message)])
    """
    result = output(code)
    applied, message = result.splitlines()
    assert applied == "[]"
    assert message.count("leaves Thunder as it is") == 1
    assert name in message and "lightning-thunder 0.2.6" in message and "doctor" in message


def test_a_failing_patch_is_rolled_back() -> None:
    code = f"""
    import thunder_symbolic.loader as loader
    {_LEND.strip().replace(chr(10), chr(10) + "    ")}
    bind = loader.bind
    def failing(module, change):
        if change.target == "thunder_general_jit":
            raise RuntimeError("broken on purpose")
        return bind(module, change)
    loader.bind = failing
    try:
        import thunder
    except ImportError as error:
        print(error)
    print(loader.applied())
    """
    message, applied = output(code).splitlines()
    assert "thunder.core.jit_ext" in message and "broken on purpose" in message
    assert applied == "[]"


def test_every_declared_object_is_applied() -> None:
    import thunder.transforms.autodiff  # noqa: F401

    declared = {
        f"{module}.{target}"
        for module, path in loader.patch_files().items()
        for target in sources.declared_targets(path)
    }
    assert declared <= set(thunder_symbolic.applied())


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["healthy"] and found["self_test"] == "passed" and not found["stale"]
    assert ".pth" in found["startup"]
    assert "thunder.core.proxies.TensorProxy.shape" in found["applied"]


def test_doctor_says_when_it_is_off(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THUNDER_SYMBOLIC", "off")
    assert main(["doctor"]) == 1
    assert "THUNDER_SYMBOLIC" in capsys.readouterr().out


def test_workers_of_the_test_runner_are_patched() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert thunder_symbolic.applied()

"""The built wheel in empty environments, and its contents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT

WHEEL = os.environ.get("RIGHTCALL_WHEEL")
COMMAND = Path(sysconfig.get_path("scripts")) / "rightcall"

SMOKE = """
import sys, rightcall
evaluation = rightcall.evaluate("axion/tool-correctness", expected=["a", "b"], actual=["a"])
assert evaluation.score == 0.5, evaluation
assert rightcall.score([{"expected": ["a"], "actual": ["a"]}], evaluators="trajectory").ok
print(sys.version_info[:2], "with", rightcall.__version__)
"""


def python(version: str) -> str | None:
    """A working interpreter of this version, if there is one."""
    names = [f"python{version}", *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")))]
    for name in names:
        try:
            if subprocess.run([name, "-c", ""], capture_output=True).returncode == 0:
                return name
        except OSError:
            continue
    return None


@pytest.mark.skipif(WHEEL is None, reason="RIGHTCALL_WHEEL names no wheel")
@pytest.mark.parametrize("version", ["3.10", "3.13"])
def test_the_wheel_is_all_that_an_empty_environment_needs(version: str, tmp_path: Path) -> None:
    interpreter = python(version)
    if interpreter is None:
        pytest.skip(f"there is no Python {version} here")
    subprocess.run([interpreter, "-m", "venv", tmp_path / "empty"], check=True)
    inside = tmp_path / "empty" / "bin"
    install = [inside / "python", "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", str(WHEEL)]
    subprocess.run(install, check=True)
    told = subprocess.run([inside / "python", "-I", "-c", SMOKE], check=True, capture_output=True, text=True).stdout
    assert told.startswith(f"({version.replace('.', ', ')})")
    command = subprocess.run([inside / "rightcall", "--version"], check=True, capture_output=True, text=True)
    assert command.stdout.startswith("rightcall ")


@pytest.mark.skipif(WHEEL is None, reason="RIGHTCALL_WHEEL names no wheel")
def test_the_licences_are_in_the_wheel() -> None:
    with zipfile.ZipFile(str(WHEEL)) as wheel:
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            [path] = [path for path in wheel.namelist() if path.endswith(f".dist-info/licenses/{name}")]
            assert wheel.read(path) == (ROOT / name).read_bytes()
        [metadata] = [path for path in wheel.namelist() if path.endswith(".dist-info/METADATA")]
        assert "License-Expression: MIT OR Apache-2.0" in wheel.read(metadata).decode()


def test_the_licences_of_the_package_are_those_of_the_project() -> None:
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        assert (ROOT / "bindings" / "python" / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_command_comes_along() -> None:
    run = subprocess.run(
        [COMMAND, "score", EXAMPLES / "support-agent" / "cases.jsonl", "-e", "trajectory", "--format", "jsonl", "--no-details"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0
    assert json.loads(run.stdout.splitlines()[0])["evaluator"] == "trajectory"
    assert subprocess.run([COMMAND, "score"], capture_output=True).returncode == 2
    module = subprocess.run([sys.executable, "-m", "rightcall", "--help"], capture_output=True, text=True)
    assert module.returncode == 0 and "Exit codes" in module.stdout


def test_an_import_loads_nothing_heavy() -> None:
    code = "import sys, rightcall; print(sorted(name for name in sys.modules if name.split('.')[0] in {'numpy', 'pandas', 'pyarrow', 'json', 'asyncio', 'pydantic'}))"
    told = subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({sysconfig.get_path('purelib')!r}); {code}"], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "[]"


def test_work_survives_a_fork() -> None:
    import rightcall

    cases = [{"expected": ["a"], "actual": ["a"]}] * 500
    assert len(rightcall.score(cases, evaluators="trajectory", threads=2)) == 500
    child = os.fork()
    if child == 0:
        os._exit(0 if len(rightcall.score(cases, evaluators="trajectory", threads=2)) == 500 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

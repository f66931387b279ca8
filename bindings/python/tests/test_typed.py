"""Type checkers accept a right program and report ten typical mistakes."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "typed"

CHECKERS = {
    "mypy": ["mypy", "--strict", "--no-error-summary", "--hide-error-context", "--no-pretty"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_type_checker_reports_the_mistakes_and_nothing_else(checker: str, tmp_path: Path) -> None:
    if not importlib.util.find_spec(checker):
        pytest.skip(f"{checker} is not installed: the weekly job has it")
    texts = {path.name: path.read_text() for path in PROGRAMS.glob("*.py")}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", *CHECKERS[checker], *texts]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = {(name, int(line)) for name, line in re.findall(r"(\w+\.py):(\d+)(?::\d+)?(?::| -) error", run.stdout)}
    lines = ((name, number, line) for name, text in texts.items() for number, line in enumerate(text.splitlines(), 1))
    wrong = {(name, number) for name, number, line in lines if line.endswith("# wrong")}
    assert len(wrong) >= 10
    assert found == wrong, run.stdout + run.stderr

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
    for name in ("right.py", "mistakes.py"):
        text = (PROGRAMS / name).read_text()
        (tmp_path / name).write_text(text)
        found = subprocess.run(
            [sys.executable, "-m", *CHECKERS[checker], name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        errors = re.findall(rf"{name}:(\d+)(?::\d+)?(?::| -) error", found.stdout)
        wrong = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")]
        assert sorted({int(line) for line in errors}) == wrong, found.stdout + found.stderr

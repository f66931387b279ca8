"""The package's documentation: docstrings, the page, the notebook."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, ROOT

import rightcall
from rightcall import _native

PAGE = ROOT / "docs" / "python.md"
DROP_INS = ROOT / "docs" / "drop-ins.md"
README = ROOT / "README.md"


def test_everything_public_is_documented() -> None:
    lacking = []
    for name in rightcall.__all__:
        it = getattr(rightcall, name)
        if name.startswith("__"):
            continue
        doc = inspect.getdoc(it) or ""
        if not doc:
            lacking.append(name)
        if inspect.isclass(it):
            members = [member for member in vars(it) if not member.startswith("_") and member not in ("with_traceback", "add_note")]
            lacking += [f"{name}.{member}" for member in members if not inspect.getdoc(getattr(it, member)) and f"\n    {member}: " not in doc]
    assert not lacking


def test_the_docstrings_are_rendered(tmp_path: Path) -> None:
    pdoc = pytest.importorskip("pdoc")
    pdoc.render.configure(docformat="google")
    pdoc.pdoc("rightcall", "rightcall.spark", "rightcall.pytest_plugin", "rightcall.compat.uipath", output_directory=tmp_path)
    page = (tmp_path / "rightcall.html").read_text()
    assert "Judges the calls of one run against what was expected" in page
    assert (tmp_path / "rightcall" / "spark.html").exists()


def test_the_examples_of_the_docstrings_hold() -> None:
    import doctest

    result = doctest.testmod(rightcall)
    assert result.attempted >= 3 and result.failed == 0


def test_the_blocks_of_the_page_are_python() -> None:
    text = PAGE.read_text() + DROP_INS.read_text() + README.read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 9
    for block in blocks:
        compile(block, "docs/python.md", "exec", flags=0x2000)  # top-level await, as in notebooks


def test_the_example_of_the_readme_holds() -> None:
    [block] = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["evaluation"].score == 1


def test_the_first_example_of_the_page_holds() -> None:
    block = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
    names: dict[str, Any] = {}
    exec(block, names)
    assert (names["evaluation"].score, names["evaluation"].passed) == (0.5, True)


def test_every_setting_of_the_stub_is_there_at_run_time() -> None:
    assert {name for name in dir(_native) if not name.startswith("_")} >= {"evaluate", "Evaluator", "Run", "Suite"}


def test_the_notebook_runs() -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / "python" / "tour.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}})
    client.execute()
    shown = [output["data"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
    assert any("text/html" in data and "<table>" in data["text/html"] for data in shown)

"""The workflows of a public forge call programs that exist, and the citations name the version of the package."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # its stubs are another package

import fourcorners as fc

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def list_steps(path: Path) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow."""
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_programs_that_a_workflow_runs_exist(path: Path) -> None:
    commands = " ".join(step.get("run", "") for step in list_steps(path))
    programs = re.findall(r"(?<![\w/])(?:scripts|tests)/[\w./]+", commands)
    assert programs
    assert not [program for program in programs if not (ROOT / program).is_file()]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_jobs_end(path: Path) -> None:
    used = [step["uses"] for step in list_steps(path) if "uses" in step]
    assert not [action for action in used if not re.search(r"@(v\d+|release/v\d+|[0-9a-f]{40})$", action)]
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    assert all("timeout-minutes" in job for job in jobs)


def test_the_citations_name_the_version_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == fc.__version__
    assert f"version = {{{fc.__version__}}}" in (ROOT / "docs/research.md").read_text(encoding="utf-8")

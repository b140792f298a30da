"""Documents render as they should, their links lead somewhere, and their examples run; every decision has a date, a
status and a line in the index.
"""

import doctest
import re
import subprocess
from itertools import accumulate
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
DECISIONS = ROOT / "docs" / "decisions"


def list_documents() -> list[str]:
    """Return the paths of the Markdown files that git tracks, or of all of them where there is no checkout."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [path for path in listed.stdout.splitlines() if (ROOT / path).exists()]
    return [str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]


def read_prose(path: Path) -> str:
    """Return the text of a document without its blocks and spans of code."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def list_anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as forges make them."""
    headings = re.findall(r"^#+ +(.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", list_documents())
def test_every_link_of_a_document_leads_to_a_file_and_a_heading(name: str) -> None:
    path = ROOT / name
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", read_prose(path)):
        if re.match(r"[a-z]+:|/", link):
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in list_anchors(target)):
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "scripts"])
def test_every_document_that_a_source_names_exists(folder: str) -> None:
    sources = [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".js", ".css"} or not path.suffix]
    texts = {path: path.read_text(encoding="utf-8", errors="ignore") for path in sources if path.is_file()}
    named = {(path, link) for path, text in texts.items() for link in re.findall(r"\bdocs/[\w/-]+\.md\b", text)}
    assert not [(path.name, link) for path, link in named if not (ROOT / link).exists()]


def test_every_decision_has_a_date_and_a_status_and_is_in_the_index() -> None:
    records = [path for path in DECISIONS.glob("*.md") if path.name != "README.md"]
    status = r"# .+\n\n\d{4}-\d\d-\d\d, (accepted|superseded by \[.+\]\(.+\.md\))[.;]"
    assert not [path.name for path in records if not re.match(status, path.read_text(encoding="utf-8"))]
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    titles = {path.name: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for path in records}
    assert {file: title for title, file in re.findall(r"^\* \[(.+)\]\((.+)\)$", index, re.MULTILINE)} == titles


@pytest.mark.parametrize("name", list_documents())
def test_no_document_has_nested_quotations(name: str) -> None:
    """Python's prompt is one where it is not in a block of code."""
    tokens = MarkdownIt("commonmark").parse((ROOT / name).read_text(encoding="utf-8"))
    quotations = (token for token in tokens if token.type.startswith("blockquote"))
    assert max(accumulate(token.nesting for token in quotations), default=0) <= 1


def list_examples(name: str) -> str:
    """Return the lines of the blocks of Python's prompt in a document, each where it is; all other lines are empty."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    shown = [""] * len(lines)
    for token in MarkdownIt("commonmark").parse("\n".join(lines)):
        if token.type == "fence" and token.info == "pycon" and token.map is not None:
            first, last = token.map[0] + 1, token.map[1] - 1
            shown[first:last] = lines[first:last]
    return "\n".join(shown)


@pytest.mark.compiled
@pytest.mark.parametrize("name", [name for name in list_documents() if list_examples(name).strip()])
def test_the_examples_of_a_document_run(name: str) -> None:
    examples = doctest.DocTestParser().get_doctest(list_examples(name), {}, name, str(ROOT / name), 0)
    failures: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(verbose=False, optionflags=flags).run(examples, out=failures.append)
    assert result.attempted
    assert not result.failed, "".join(failures)

"""The style sheets fit the elements that templates and scripts make."""

import re
from pathlib import Path

import pytest

import fourcorners as fc

WEB = Path(fc.__file__).parent / "web"
MADE = {
    name
    for path in (*(WEB / "templates").glob("*.html"), *(WEB / "static").glob("*.js"))
    for name in re.findall(r'\bid(?:="|: ")([\w-]+)"', path.read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("sheet", sorted((WEB / "static").glob("*.css")), ids=lambda path: path.name)
def test_every_id_that_a_style_sheet_names_is_that_of_an_element(sheet: Path) -> None:
    rules = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert set(re.findall(r"#([A-Za-z][\w-]*)(?=[^{};]*\{)", rules)) <= MADE

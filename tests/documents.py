"""Reading the examples of the documents."""

import re
from pathlib import Path

DOCUMENTS = Path(__file__).parents[1] / "docs"


def join_code(name: str, language: str) -> str:
    """Return all blocks of code in a language in a document below `docs`, one after the other, at least one."""
    text = (DOCUMENTS / name).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks
    return "".join(blocks)

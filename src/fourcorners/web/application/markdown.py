"""Markdown of the project's own files as HTML."""

from markdown_it import MarkdownIt
from markupsafe import Markup


def create_parser() -> MarkdownIt:
    """Return a parser for text of our own files, without raw HTML."""
    options = {"html": False, "typographer": True}
    # Files have straight quotes, which are easy to type, and pages typographic ones.
    return MarkdownIt("commonmark", options).enable(["table", "smartquotes"])


def render_paragraph(text: str) -> Markup:
    """Return one paragraph of Markdown as HTML, without an element around it."""
    return Markup(create_parser().renderInline(text))  # noqa: S704  # raw HTML is disabled, so all text is escaped

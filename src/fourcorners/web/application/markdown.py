"""Markdown of the project's own files as HTML."""

from markdown_it import MarkdownIt


def create_parser() -> MarkdownIt:
    """Return a parser for text of our own files, without raw HTML."""
    options = {"html": False, "typographer": True}
    # Files have straight quotes, which are easy to type, and pages typographic ones.
    return MarkdownIt("commonmark", options).enable(["table", "smartquotes"])


def render_paragraph(text: str) -> str:
    """Return one paragraph of Markdown as HTML, without an element around it; all text is escaped."""
    html: str = create_parser().renderInline(text)
    return html

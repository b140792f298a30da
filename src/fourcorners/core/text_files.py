"""Text files from any program: encodings with a byte order mark, and every kind of line end."""

import codecs

# UTF-32 comes first, because its mark begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BYTE_ORDER_MARK = "\ufeff"


def decode(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 or UTF-32 by its byte order mark, without the mark; raise UnicodeDecodeError."""
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8-sig")
    return data.decode(encoding)


def clean(text: str) -> str:
    """Return a text without a byte order mark, and with every line end as one line feed."""
    # A program that converts line ends twice writes two carriage returns.
    text = text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix(_BYTE_ORDER_MARK)

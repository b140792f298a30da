"""`fourcorners engine`: analyse what lines of JSON on standard input ask for, on standard output."""

import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any

from typer import Option

from fourcorners import __version__
from fourcorners.study.analysis_engine import MAX_THREADS, AnalysisEngine
from fourcorners.study.engine_messages import MAX_LINE, build_schema


def engine(
    threads: Annotated[int, Option(min=1, max=MAX_THREADS, help="Positions to analyse at the same time.")] = 1,
    schema: Annotated[bool, Option("--schema", help="Print the JSON schema of all lines instead.")] = False,
) -> None:
    """Analyse positions for another program: one query in each line of standard input, one answer in each line of
    standard output, both JSON, in the manner of KataGo’s analysis engine.

    At the end of the input, answer what was asked and exit; Ctrl-C exits at once. Example: echo
    '{"id": "1", "game": "GAME", "maxVisits": 500}' | fourcorners engine
    """
    if schema:
        print(json.dumps(build_schema(), indent=2, ensure_ascii=False))
        return
    running = AnalysisEngine(_write, __version__, threads)
    try:
        for line in _read_lines():
            running.accept(line)
        running.finish()
    finally:
        running.close()


def _write(line: str) -> None:
    """Write a line to standard output at once; raise OSError."""
    sys.stdout.write(line)
    sys.stdout.flush()


def _read_lines() -> Iterator[bytes]:
    """Read the lines of standard input; of one that is too long, only its first MAX_LINE + 1 bytes. Raise OSError."""
    # A stream that was closed has no buffer, and raises the error when it is read.
    stream: Any = getattr(sys.stdin, "buffer", sys.stdin)
    while line := stream.readline(MAX_LINE + 1):
        yield line
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE + 1)

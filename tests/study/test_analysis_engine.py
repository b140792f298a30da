"""The engine for other programs: a golden transcript, its order, its limits, its secrecy, and what it survives.

`engine_transcript.txt` has lines for the engine after `>` and its answers after `<`. If other answers are intended,
write the file anew:

    NUMBA_DISABLE_JIT=1 PYTHONPATH=src:. python -m tests.study.test_analysis_engine
"""

import contextlib
import json
import random
import shlex
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.study import analysis_engine
from fourcorners.study.analysis_engine import AnalysisEngine
from fourcorners.study.engine_messages import MAX_LINE, Answer, build_schema
from tests.documents import join_code

TRANSCRIPT = Path(__file__).parent / "engine_transcript.txt"
SMALL: dict[str, Any] = {"game": "dots-and-boxes", "options": {"cols": 2, "rows": 1}, "maxVisits": 4, "seed": 1}
LONG: dict[str, Any] = {"id": "long", "game": "square-off", "seconds": 600, "reportDuringSearchEvery": 0.01}
"""A query that only ends when it is terminated."""


class Dialogue:
    """An engine and its answers so far."""

    def __init__(self, threads: int = 1) -> None:
        self.answers: list[dict[str, Any]] = []
        self._heard = threading.Condition()
        self.engine = AnalysisEngine(self._hear, "1.2.3", threads)

    def _hear(self, line: str) -> None:
        assert line.endswith("\n") and line.count("\n") == 1
        with self._heard:
            self.answers.append(json.loads(line))
            self._heard.notify_all()

    def tell(self, **fields: Any) -> None:
        """Send one message."""
        self.engine.accept(json.dumps(fields).encode() + b"\n")

    def wait_for_report(self) -> None:
        """Wait until the engine has reported during a search."""
        with self._heard:
            assert self._heard.wait_for(lambda: any(each.get("isDuringSearch") for each in self.answers), 60)

    def list_final(self) -> list[tuple[str, int]]:
        """Return id and turn of the answers that end the analysis of a position, in order."""
        ends = [each for each in self.answers if "turnNumber" in each and not each.get("isDuringSearch")]
        return [(each["id"], each["turnNumber"]) for each in ends]


@contextlib.contextmanager
def talk(threads: int = 1) -> Iterator[Dialogue]:
    """Yield a dialogue with an engine, which is closed afterwards."""
    dialogue = Dialogue(threads)
    try:
        yield dialogue
    finally:
        dialogue.engine.close()


def ask(**query: Any) -> list[dict[str, Any]]:
    """Return all answers to one query, whose id is `q`."""
    with talk() as dialogue:
        dialogue.tell(id="q", **query)
        dialogue.engine.finish()
        return dialogue.answers


def answer_transcript() -> str:
    """Return the transcript with the answers of today to its lines, each given when the one before is answered."""
    lines = [line for line in TRANSCRIPT.read_text(encoding="utf-8").splitlines() if not line.startswith("<")]
    found = []
    with talk() as dialogue:
        for line in lines:
            found.append(line)
            if line.startswith("> "):
                dialogue.answers.clear()
                dialogue.engine.accept(line[2:].encode())
                dialogue.engine.finish()
                found += [f"< {json.dumps(answer)}" for answer in dialogue.answers]
    return "\n".join(found) + "\n"


def test_answers_are_those_of_the_transcript() -> None:
    assert answer_transcript() == TRANSCRIPT.read_text(encoding="utf-8")


def fits(message: dict[str, Any], part: str) -> bool:
    """Return whether some form of `part`, request or answer, of the schema has the fields of a message."""
    schema = build_schema()
    forms = [schema["$defs"][form["$ref"].removeprefix("#/$defs/")] for form in schema[part]["anyOf"]]
    return any(set(form["required"]) <= set(message) <= set(form["properties"]) for form in forms)


def test_lines_of_the_transcript_fit_the_schema() -> None:
    lines = TRANSCRIPT.read_text(encoding="utf-8").splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("<"):
            answer = json.loads(line[2:])
            assert fits(answer, "answer")
            assert TypeAdapter(Answer).validate_json(line[2:]).write() == line[2:] + "\n"
        elif line.startswith(">") and '"error"' not in following:
            assert fits(json.loads(line[2:]), "request")
    assert not fits({"id": "a", "komi": 7}, "request")
    assert not fits({"id": "a"}, "answer")


def test_page_shows_a_query_and_its_answer() -> None:
    query = json.loads(shlex.split(join_code("engine.md", "sh"))[1])
    with talk() as dialogue:
        dialogue.tell(**query)
        dialogue.engine.finish()
        assert dialogue.answers == [json.loads(join_code("engine.md", "json"))]


def test_higher_priority_comes_first_and_then_the_earlier_query() -> None:
    with talk() as dialogue:
        dialogue.tell(**LONG)
        dialogue.wait_for_report()
        for number, priority in enumerate((0, 5, 0, 5)):
            dialogue.tell(id=str(number), priority=priority, **SMALL)
        dialogue.tell(id="end", action="terminate", terminateId="long")
        dialogue.engine.finish()
        assert [found for found, _ in dialogue.list_final()] == ["long", "1", "3", "0", "2"]
        last = next(each for each in dialogue.answers if each["id"] == "long" and not each["isDuringSearch"])
        assert last["moveInfos"] and last["moveInfos"][0]["why"]


def test_terminated_turns_are_answered_with_what_was_found() -> None:
    with talk() as dialogue:
        dialogue.tell(**LONG)
        dialogue.wait_for_report()
        dialogue.tell(id="a", moves=["a1b1", "b1c1"], analyzeTurns=[0, 1, 2], **SMALL)
        dialogue.tell(id="b", action="terminate", terminateId="a", turnNumbers=[0, 2])
        assert dialogue.list_final() == [("a", 0), ("a", 2)]
        assert all(each["noResults"] for each in dialogue.answers if each["id"] == "a")
        dialogue.tell(id="c", action="terminate_all")
        assert dialogue.list_final()[2] == ("a", 1)
        dialogue.engine.finish()
        assert dialogue.list_final()[3:] == [("long", 0)]
        assert {"id": "b", "action": "terminate", "terminateId": "a", "turnNumbers": [0, 2]} in dialogue.answers


def test_reports_during_the_search_have_what_is_known() -> None:
    with talk() as dialogue:
        dialogue.tell(**LONG)
        dialogue.wait_for_report()
        dialogue.tell(id="end", action="terminate_all")
        dialogue.engine.finish()
        report = next(each for each in dialogue.answers if each.get("isDuringSearch"))
        assert [(info["order"], info["why"]) for info in report["moveInfos"]] == [(0, ""), (1, ""), (2, "")]
        # Nothing has been proven yet, and a number would say that it has.
        assert report["rootInfo"]["lower"] is report["rootInfo"]["upper"] is None
        assert not any("isDuringSearch" in each and each["isDuringSearch"] for each in dialogue.answers[-1:])


def test_two_threads_analyse_at_the_same_time() -> None:
    with talk(threads=2) as dialogue:
        dialogue.tell(**LONG)
        dialogue.wait_for_report()
        dialogue.tell(id="short", **SMALL)
        with dialogue._heard:
            assert dialogue._heard.wait_for(lambda: dialogue.list_final() == [("short", 0)], 60)


def test_query_that_would_wait_behind_too_many_is_refused_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_engine, "MAX_WAITING", 3)
    with talk() as dialogue:
        dialogue.tell(**LONG)
        dialogue.wait_for_report()
        dialogue.tell(id="a", moves=["a1b1"], analyzeTurns=[0, 1], **SMALL)
        dialogue.tell(id="b", moves=["a1b1"], analyzeTurns=[0, 1], **SMALL)
        dialogue.tell(id="c", action="terminate_all")
        dialogue.engine.finish()
        (refused,) = [each for each in dialogue.answers if "error" in each]
        assert refused["id"] == "b" and "at most 3 positions may wait" in refused["error"]
        assert [found for found, _ in dialogue.list_final()] == ["a", "a", "long"]


@pytest.mark.parametrize(
    ("field", "message"), [("analyzeTurns", SMALL), ("turnNumbers", {"action": "terminate", "terminateId": "a"})]
)
def test_list_of_turns_has_a_greatest_length(field: str, message: dict[str, Any]) -> None:
    (answer,) = ask(**message, **{field: [0] * 1001})
    assert answer["field"] == field and "1000" in answer["error"]
    assert "error" not in ask(**message, **{field: [0]})[0]


def test_record_and_its_moves_and_its_positions_get_the_same_answers() -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=2, rows=1))
    for move in ("a1b1", "b1c1", "a2b2"):
        match.play(move)
    limits = {"maxVisits": 30, "seed": 2}
    game = {"game": "dots-and-boxes", "options": {"cols": 2, "rows": 1}}
    turns = {"analyzeTurns": [0, 3]}
    by_record = ask(record=str(match.record()), **turns, **limits)
    assert by_record == ask(**game, moves=["a1b1", "b1c1", "a2b2"], **turns, **limits)
    assert [each["turnNumber"] for each in by_record] == [0, 3]
    (by_text,) = ask(**game, position=match.position.text, **limits)
    assert by_text["moveInfos"] == by_record[1]["moveInfos"]
    assert by_text["rootInfo"]["exact"] and by_text["rootInfo"]["lower"] == fc.solve(match.position).final_margin


def list_deals(count: int) -> tuple[fc.Position, list[fc.Position]]:
    """Return a position of a game with hidden hands, and others that look the same to the seat to move."""
    game = fc.game("squendo", players=3)
    position = game.start(seed=4)
    for _ in range(4):
        position = position.play(position.moves()[0])
    deals = []
    for seed in range(count):
        states = position.view(position.seat).states.copy()
        compiled_api.deal(states, 0, new_rng(seed))
        deals.append(fc.Position(game, states, ()))
    return position, deals


@pytest.mark.compiled
def test_twenty_deals_that_look_the_same_get_the_same_answer() -> None:
    position, deals = list_deals(20)
    assert len({deal.text for deal in deals}) == 20
    query = {"game": "squendo", "options": {"players": 3}, "maxVisits": 100, "seed": 7}
    view = ask(**query, position=position.view(position.seat).text, seat=position.seat)
    assert "moveInfos" in view[0]
    for deal in deals:
        assert ask(**query, position=deal.text) == view


def test_view_of_a_seat_that_is_not_to_move_is_refused() -> None:
    position = fc.game("squendo").start(seed=1)
    assert position.seat == 0
    (answer,) = ask(game="squendo", position=position.view(1).text, seat=1)
    assert answer["field"] == "analyzeTurns"
    assert "that seat’s view is needed" in answer["error"].replace("'", "’")


def test_position_that_cannot_be_analysed_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("no room")

    with monkeypatch.context() as patch, talk() as dialogue:
        patch.setattr(analysis_engine, "describe_merit", fail)
        dialogue.tell(id="a", **SMALL)
        dialogue.engine.finish()
        patch.undo()
        dialogue.tell(id="b", **SMALL)
        dialogue.engine.finish()
        expected = {"id": "a", "error": "internal error (MemoryError: no room)", "turnNumber": 0}
        assert dialogue.answers[0] == expected
        assert "moveInfos" in dialogue.answers[1]


def test_output_that_cannot_be_written_ends_the_engine() -> None:
    def fail(_: str) -> None:
        raise BrokenPipeError

    engine = AnalysisEngine(fail, "1")
    engine.accept(json.dumps({"id": "a", **SMALL}).encode())
    with pytest.raises(BrokenPipeError):
        engine.finish()
    with pytest.raises(BrokenPipeError):
        engine.accept(b"{}")
    engine.close()


def test_closed_engine_writes_nothing_more() -> None:
    with talk() as dialogue:
        dialogue.tell(**LONG)
        dialogue.wait_for_report()
        dialogue.engine.close()
        for thread in dialogue.engine._threads:
            thread.join()
        assert dialogue.list_final() == []


class StuckThread(threading.Thread):
    """A thread that does not end; it counts the seconds that others have waited for that."""

    waited = 0.0

    def join(self, timeout: float | None = None) -> None:
        assert timeout is not None
        StuckThread.waited += timeout
        time.sleep(timeout)


def test_threads_that_do_not_stop_hold_up_the_end_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_engine, "_PATIENCE", 0.1)
    with talk() as dialogue:
        ended, dialogue.engine._threads = dialogue.engine._threads, [StuckThread() for _ in range(5)]
    assert 0 < StuckThread.waited <= 0.1
    ended[0].join()


SEEDS = (
    {"id": "0", **SMALL},
    {"id": "0", **SMALL, "moves": ["a1b1", "b1c1"], "analyzeTurns": [0, 1, 2], "priority": 3},
    {"id": "0", **SMALL, "position": "0 0,0 ./.._|/-_", "lines": 2, "reportDuringSearchEvery": 0.5},
    {"id": "0", "game": "sqez", "options": {"cols": 3, "rows": 3}, "maxVisits": 3, "seconds": 0.01},
    {"id": "0", "record": 'fourcorners record 1\ngame: sqez\noptions: {"cols": 3, "rows": 3}\n', "maxVisits": 2},
    {"id": "0", "action": "terminate", "terminateId": "3", "turnNumbers": [0]},
    {"id": "0", "action": "terminate_all"},
    {"id": "0", "action": "query_version"},
)
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 7, 2**70, 0.5, 1e300, "", "x", "\ud800", "a1b1", [], [0], ["a1b1"], [[]], {}, {"cols": 2}, "é\n"
)  # fmt: skip


def fuzz(rng: random.Random, number: int) -> bytes:
    """Return a line made from a good one: with other fields, other values or damaged bytes."""
    fields: dict[str, Any] = {**rng.choice(SEEDS), "id": str(number)}
    for _ in range(rng.choice((0, 1, 1, 2))):
        name = rng.choice([*fields, "seat", "seed", "analyzeTurns", "level"])
        kind = rng.random()
        if kind < 0.2:
            fields.pop(name, None)
        elif kind < 0.9:
            fields[name] = rng.choice(ODD)
        else:
            fields[name] = [rng.choice(ODD) for _ in range(3)]
    line = bytearray(json.dumps(fields).encode())
    if rng.random() < 0.2:
        for _ in range(rng.randrange(1, 4)):
            line[rng.randrange(len(line))] = rng.randrange(256)
    return bytes(line).replace(b"\n", b" ")


def read_id(line: bytes) -> str | None:
    """Return the id of a line as a client wrote it; None if it cannot be read."""
    try:
        found = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return found.get("id") if isinstance(found, dict) and isinstance(found.get("id"), str) else None


def check_fuzzed_lines(count: int) -> None:
    """Send that many damaged lines; assert that each is answered, with its id if it has one."""
    rng = random.Random(5)
    lines = [fuzz(rng, number) for number in range(count)]
    with talk() as dialogue:
        for line in lines:
            dialogue.engine.accept(line)
            if rng.random() < 0.05:
                dialogue.engine.finish()
        dialogue.engine.finish()
        answered = [each["id"] for each in dialogue.answers]
        wanted = [read_id(line) for line in lines if line.strip()]
        assert set(wanted) <= set(answered)
        assert answered.count(None) == wanted.count(None)
        kinds = {
            key for each in dialogue.answers for key in ("error", "moveInfos", "noResults", "action") if key in each
        }
        assert len(kinds) == 4
        assert not [each for each in dialogue.answers if "internal" in each.get("error", "")]


def test_every_fuzzed_line_is_answered() -> None:
    check_fuzzed_lines(150)


@pytest.mark.ci
@pytest.mark.compiled
def test_ten_thousand_fuzzed_lines_are_answered() -> None:
    check_fuzzed_lines(10_000)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"[" * 100_000, "is not JSON"),
        (b"\xff{}", "is not UTF-8"),
        (b"[1]", "is not a JSON object"),
        (b'{"id": "' + b"x" * MAX_LINE + b'"}', "is longer than"),
        (b'{"a": ' + b"9" * 5000 + b"}", "is not JSON"),
        (b'{"id": "' + b"x" * 201 + b'"}', "at most 200 characters"),
    ],
)
def test_line_without_an_id_that_can_be_repeated_gets_a_sentence(line: bytes, sentence: str) -> None:
    with talk() as dialogue:
        dialogue.engine.accept(line)
        dialogue.engine.accept(b" \n")
        (answer,) = dialogue.answers
        assert answer["id"] is None and sentence in answer["error"]


if __name__ == "__main__":
    TRANSCRIPT.write_text(answer_transcript(), encoding="utf-8")

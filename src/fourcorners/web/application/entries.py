"""Games typed from paper: what the moves so far lead to. Nothing is stored."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from fourcorners.core import catalogue
from fourcorners.core.narration import narrate
from fourcorners.study.entry import WrongMove, enter_moves
from fourcorners.study.rendering import Check, no_check
from fourcorners.study.results import describe_result
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.protocol.board_picture import PICTURE_EXAMPLE, BoardPicture, build_board_picture
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields


class WrongEntry(Fields, frozen=True, kw_only=True):
    """The first move that cannot be played."""

    number: Annotated[int, Meta(description="Its number, counted from 1.")]
    move: Annotated[str, Meta(description="Its text; its item of the moves may go on with more words of the line.")]
    reason: Annotated[str, Meta(description="Why, as a sentence.")]
    sentence: Annotated[str, Meta(description="Its number and the reason.")]


@example(
    played=2,
    wrong=None,
    moves=["a1", "b2"],
    words="white put a man on b2",
    over=False,
    result="running",
    record="fourcorners record 1…",
    picture=PICTURE_EXAMPLE,
)
class EntryAnswer(Fields, frozen=True, kw_only=True):
    """What the moves of a game lead to."""

    played: Annotated[int, Meta(description="How many moves are right.")]
    wrong: WrongEntry | None
    moves: Annotated[list[str], Meta(description="All moves, with those of a typed line one by one.")]
    words: Annotated[str, Meta(description="The last right move in words; empty if there is none.")]
    over: bool
    result: Annotated[str, Meta(description="Who has won, with the names of the players.")]
    record: Annotated[str, Meta(description="The record of the right moves.")]
    picture: Annotated[BoardPicture, Meta(description="The position after the right moves, as its mover sees it.")]


def answer_entry(
    game_id: str,
    options: dict[str, Any],
    moves: Sequence[str],
    typed: int | None,
    names: Sequence[str] | None,
    date: str,
    deck: Sequence[str] | None,
    check: Check = no_check,
) -> EntryAnswer:
    """Play moves; raise OptionError for a wrong game, option, name, date or deck, and what `check` raises."""
    game = catalogue.game(game_id, **options)
    match, wrong, all_moves = enter_moves(game, moves, names, date, deck, check, typed=typed)
    positions = match.positions
    words = ""
    if len(positions) > 1:
        seat = positions[-2].seat or 0
        words = f"{positions[-2].seat_names[seat]} {narrate(positions[-2], positions[-1], seat).words}"
    view = match.position.view(match.position.seat)
    return EntryAnswer(
        played=len(positions) - 1,
        wrong=None if wrong is None else _describe_wrong(wrong),
        moves=all_moves,
        words=words,
        over=match.is_over,
        result=describe_result(match.result, match.names, game, has_reason=True),
        record=str(match.record()),
        picture=build_board_picture(view, view.scene(), can_move=not match.is_over),
    )


def _describe_wrong(wrong: WrongMove) -> WrongEntry:
    reason, sentence = write_sentence(wrong.reason), write_sentence(wrong.clause)
    return WrongEntry(number=wrong.number, move=wrong.move, reason=reason, sentence=sentence)

"""The import of games from elsewhere, as links and move lists, into records."""

import itertools
import re
from collections.abc import Callable, Sequence

from fourcorners.core import catalogue
from fourcorners.core.base_position import MAX_MOVE_LENGTH
from fourcorners.core.errors import GameError, NotationError, OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.core.match import Match, Record
from fourcorners.core.move_list import (
    RESIGNATIONS,
    ImportedGame,
    MoveListError,
    Word,
    find_link,
    remove_quote_marks,
    split_result,
    split_words,
)
from fourcorners.core.option_fields import format_value
from fourcorners.core.record_format import MAX_EVENTS, MAX_RECORD_LENGTH, STUDY_TITLE, TITLE
from fourcorners.core.site_links import read_site_link
from fourcorners.core.text_files import clean
from fourcorners.core.typed_moves import read_tokens

MAX_LIST_LENGTH = 100_000  # in characters: far more than any game has moves
_MAX_WORDS = 8  # of one move
_TITLES = f"{TITLE}|{STUDY_TITLE}".replace(" ", "[ \xa0]")
_TITLE = re.compile(rf"^[ \t\xa0]*(?:{_TITLES})", re.MULTILINE)


def no_check() -> None:
    """Never stop the caller."""


def import_record(
    text: str,
    game: Game | None = None,
    *,
    deck: Sequence[str] | None = None,
    check: Callable[[], None] = no_check,
) -> Record:
    """Import a game from a link, a move list or a record, and return its record after playing every move.

    A move list needs the `game` with its options and, if the game has a hidden deck, also the `deck`. Links and records
    name their game; a given `game` must be the same. Words of a list are separated by spaces, commas or lines and may
    be numbered; "resign" resigns for the seat to move. Quote marks of mail, judgements such as `!?`, text before a
    record, and a result at the end are skipped; the result must be correct if the game is over. `check` is called
    before each event; its errors end the import.

    Raise MoveListError, with the place, for a list or link that cannot be read or played, RecordError for a record, and
    OptionError for invalid arguments.
    """
    given = str.__str__(text) if isinstance(text, str) else ""
    # Lines and columns must stay unchanged.
    source = remove_quote_marks(clean(given)).rstrip() if len(given) <= 2 * MAX_RECORD_LENGTH else ""
    if not source or len(source) > MAX_RECORD_LENGTH:
        allowed = f"text of 1 to {MAX_RECORD_LENGTH} characters"
        raise OptionError("text", f"{quote(text)} is not allowed; it must be {allowed}")
    if game is not None and not isinstance(game, Game):
        raise OptionError("game", f"{quote(game)} is not allowed; it must be a Game or None")
    title = _TITLE.search(source)
    if title is not None:
        record = Record.parse("\n" * source.count("\n", 0, title.start()) + source[title.start() :], check)
        _check_same_game(record.game, game)
        return record
    if len(source) > MAX_LIST_LENGTH:
        message = f"{quote(source.lstrip())} is not allowed; a link or move list has at most {MAX_LIST_LENGTH}"
        raise OptionError("text", f"{message} characters")
    moves, result = split_result(source)
    found, link = _find_game(moves, game), find_link(source)
    if found is None and link is not None:
        found = _find_game(moves, None)  # of another game than the given one
    if found is not None:
        named = catalogue.game(found.game, **found.options)
        _check_same_game(named, game)
        match = _start_match(named, deck)
        _play_moves(match, found, check)
    elif link is not None:
        match = read_site_link(link)
        _check_same_game(match.game, game)
    elif game is not None:
        match, words = _start_match(game, deck), list(split_words(moves))
        if not words:
            raise OptionError("text", f"{quote(source.lstrip())} has no moves")
        _play_words(match, words, check)
    else:
        raise OptionError("game", f"{quote(source.lstrip())} names no game: choose one, or give {_list_importers()}")
    if result is not None:
        _check_result(match, result)
    return match.record()


def _find_game(text: str, game: Game | None) -> ImportedGame | None:
    """Return the game that the first matching importer reads from a text; None if there is none."""
    specs = catalogue.specs().values() if game is None else [game.spec]
    for spec in specs:
        for importer in spec.importers:
            found = importer.read(text, game)
            if found is not None:
                return found
    return None


def _list_importers() -> str:
    """List the kinds of imports that need no named game, as a clause."""
    importers = (importer for spec in catalogue.specs().values() for importer in spec.importers)
    names = [importer.name for importer in importers if not importer.needs_game]
    return " or ".join([*names, f"a record that begins with {quote(TITLE)}"])


def _check_same_game(found: Game, given: Game | None) -> None:
    """Raise OptionError if the given game, including its options, is not the one that was found."""
    if given is None or given == found:
        return
    is_only_named = given.spec.id == found.spec.id and not given.given_options()
    if not is_only_named:
        message = f"{name_with_options(given)} is not allowed; the text is of {name_with_options(found)}"
        raise OptionError("game", message)


def name_with_options(game: Game) -> str:
    """Return the id of a game with its non-default options, such as "ID with cols=5, rows=5"."""
    given = ", ".join(f"{name}={format_value(value)}" for name, value in game.given_options().items())
    return f"{game.id} with {given}" if given else game.id


def _start_match(game: Game, deck: Sequence[str] | None) -> Match:
    """Return a match of a game, without date; raise OptionError for a wrong or missing deck."""
    if game.spec.hidden and deck is None:
        raise OptionError("deck", f"a game of {game.title} can be imported only with its deck")
    return Match(game, deck=deck, date="", nonce="")


def _play_moves(match: Match, found: ImportedGame, check: Callable[[], None]) -> None:
    """Play the moves that an importer found; raise MoveListError."""
    for move, word in found.moves:
        check()
        _play(match, word, move)


def _play_words(match: Match, words: list[Word], check: Callable[[], None]) -> None:
    """Play the moves of a list, each of the most words that the game can read as one move; raise MoveListError."""
    index = 0
    while index < len(words):
        check()
        spelt, index, count = find_typed_move(match.position, words, index)
        if index < len(words):
            if not count:
                _check_word(match, words, index)
            _play(match, words[index], " ".join(word.text for word in spelt[index : index + max(1, count)]))
        index += max(1, count)


def _check_word(match: Match, words: Sequence[Word], index: int) -> None:
    """Raise MoveListError if words from an index on begin a move, but a later word does not continue it."""
    position, text = match.position, ""
    for word in words[index : index + _MAX_WORDS]:
        if text and word.is_first:
            return
        text += f" {word.text}" if text else word.text
        try:
            position.game.spec.notation.parse(position.record, text[: MAX_MOVE_LENGTH + 1])
        except NotationError as error:
            if error.code == "incomplete":
                continue
            if " " in text and error.code == "unreadable":
                raise MoveListError(word, len(match.positions), error.message) from None
        return


def _check_result(match: Match, word: Word) -> None:
    """Raise MoveListError if the game is over and the result at the end of a list is wrong."""
    outcome = match.outcome
    given = word.text.replace("–", "-")
    if outcome is None or given == "*" or given == "-".join(map(str, match.position.scores)):
        return
    seats = tuple(range(match.game.seats))
    meant = {"1-0": seats[:1], "0-1": seats[1:], "1/2-1/2": seats, "½-½": seats}.get(given)
    if len(seats) > 2 or outcome.winners != meant:
        raise MoveListError(word, 0, f"the result is given as {quote(word.text)}, but it is {quote(match.result)}")


def find_move(position: Position, words: Sequence[Word], index: int) -> tuple[int, int]:
    """Return the index at which the next move in a list begins, and its number of words, 0 if there is none.

    Numbers before a move, without a full stop, are skipped. Legality decides whether words are one move or two.
    """
    count = 0
    while index < len(words) and not (count := _count_words(position, words, index)) and words[index].text.isdecimal():
        index += 1
    return index, count


def find_typed_move(position: Position, words: list[Word], index: int) -> tuple[list[Word], int, int]:
    """Find the next move as `find_move` does, in upper or lower case; return the words, too.

    The move's words then have its standard spelling.
    """
    index, count = find_move(position, words, index)
    if count or index == len(words) or words[index].text.lower() in RESIGNATIONS:
        return words, index, count
    following = words[index + 1 : index + _MAX_WORDS]
    group = [words[index], *itertools.takewhile(lambda word: not word.is_first, following)]
    texts = [word.text for word in group]
    # An illegal move may still be readable in lower case.
    for spelt in (read_tokens(position, texts), [text.lower() for text in texts]):
        respelt = [word._replace(text=text) for word, text in zip(group, spelt, strict=True)]
        count = find_move(position, respelt, 0)[1]
        if count:
            return [*words[:index], *respelt[:count], *words[index + count :]], index, count
    return words, index, 0


def _count_words(position: Position, words: Sequence[Word], index: int) -> int:
    """Count the words, from an index on, of the longest legal move, or else of the longest move; 0 for none."""
    longest = 0
    for end in range(index + 1, min(len(words), index + _MAX_WORDS) + 1):
        if end > index + 1 and words[end - 1].is_first:
            break
        text = " ".join(word.text for word in words[index:end])
        if len(text) > MAX_MOVE_LENGTH:
            break
        try:
            position.game.spec.notation.parse(position.record, text)
        except NotationError:
            continue
        # Two words may be two moves or one, and only one of these is legal as a rule.
        if longest == 0 or position.why(text) is None:
            longest = end - index
    return longest


def _play(match: Match, word: Word, move: str) -> None:
    """Play a move, or resign, for the seat to move; raise MoveListError with the place of the word."""
    number = len(match.positions)
    if len(match.events) == MAX_EVENTS:
        raise MoveListError(word, number, f"a record has at most {MAX_EVENTS} moves")
    try:
        if move.lower() in RESIGNATIONS:
            match.resign(match.seat if match.seat is not None else 0)
        else:
            match.play(move)
    except GameError as error:
        raise MoveListError(word, number, error.message) from None

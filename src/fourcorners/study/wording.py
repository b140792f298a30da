"""The numbers of a review in words: margins, chances and losses, with their ranges."""

import math
import re
from dataclasses import replace

from fourcorners.core.narration import name_move as name_move_in_words
from fourcorners.core.termination import Termination
from fourcorners.core.termination import describe as describe_end
from fourcorners.study.evaluation import Evaluation, Interval, Loss
from fourcorners.study.labels import Label
from fourcorners.study.move_review import MoveReview
from fourcorners.study.results import describe_result as describe
from fourcorners.study.review import Review
from fourcorners.study.statements import Statement
from fourcorners.study.summary import PlayerSummary

YOU = "You"
"""The name for the player who reads a review."""
_VERBS = {"wins": "win", "loses": "lose", "gains": "gain", "shares": "share", "ends": "end"}
PLURALS = {Label.INACCURACY: "inaccuracies", Label.MISTAKE: "mistakes", Label.BLUNDER: "blunders"}


def format_margin(interval: Interval, *, exact: bool) -> str:
    """Write a margin: "+3" if it is exact, else "about +3 (−2 to +8)", rounded outwards."""
    if exact:
        return _format_signed(round(interval.value))
    low, high = math.floor(interval.low), math.ceil(interval.high)
    return f"about {_format_signed(round(interval.value))} ({_format_signed(low)} to {_format_signed(high)})"


def format_chance(interval: Interval, *, exact: bool) -> str:
    """Write a chance in percent: "100%" if exact; otherwise "about 60% (45 to 75)", "at most 5%" or "at least 95%"."""
    value = round(100 * interval.value)
    if exact:
        return f"{value}%"
    low, high = math.floor(100 * interval.low), math.ceil(100 * interval.high)
    if value == 0:
        return f"at most {max(high, 1)}%"
    return f"at least {min(low, 99)}%" if value == 100 else f"about {value}% ({low} to {high})"


def format_evaluation(evaluation: Evaluation | None, *, has_points: bool) -> str:
    """Write the value of a position to its mover; "not known" for None."""
    if evaluation is None:
        return "not known"
    chance = format_chance(evaluation.win, exact=evaluation.exact or evaluation.decided)
    if not has_points:
        return f"{chance} to win"
    return f"margin {format_margin(evaluation.margin, exact=evaluation.exact)}, {chance} to win"


def format_loss(loss: Loss | None, *, has_points: bool) -> str:
    """Write the loss of a move: "2 points and 50% chance of winning", "about 2 points (0 to 5)", "at most 3 points",
    "nothing" or "not known".
    """
    if loss is None:
        return "not known"
    parts = [_format_amount(loss.points, " points", exact=loss.exact)] if has_points else []
    if loss.win.value > 0 or not has_points:
        percent = Interval(*(100 * number for number in loss.win))
        parts.append(_format_amount(percent, "% chance of winning", exact=loss.exact))
    return " and ".join(filter(None, parts)) or "nothing"


def _format_amount(interval: Interval, unit: str, *, exact: bool) -> str:
    """Write an amount with its unit, and with its range if it is estimated; "" for nothing."""
    if exact:
        number = f"{round(interval.value, 1):g}"
        return "" if number == "0" else f"{number}{_inflect(unit, number)}"
    value, low, high = (f"{round(number)}" for number in (interval.value, interval.low, interval.high))
    if value == "0":
        return "" if high == "0" else f"at most {high}{_inflect(unit, high)}"
    unit = _inflect(unit, value)
    return f"about {value}{unit}" if low == high else f"about {value}{unit} ({low} to {high})"


def _inflect(unit: str, number: str) -> str:
    return " point" if (number, unit) == ("1", " points") else unit


def _format_signed(number: int) -> str:
    """Write a number with its sign, "0" without one; the minus sign is U+2212."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


def format_loss_per_move(review: Review, player: PlayerSummary) -> str:
    """Write a player's mean loss per judged move: "1.5 points", "less than 0.1 points" or "nothing".

    If any counted loss is an estimate, it is "about 4% chance of winning". "nothing" means that nothing was lost.
    """
    if not player.judged_moves:
        return "no move was judged"
    in_points = has_points(review)
    unit, scale = (" points", 1) if in_points else ("% chance of winning", 100)
    lost = sum((player.points_lost if in_points else player.chance_lost).values())
    if lost == 0:
        return "nothing"
    mean = f"{round(scale * lost / player.judged_moves, 1):g}"
    if mean == "0":
        return f"less than 0.1{unit}"
    errors = [move for move in review.errors if move.seat == player.seat]
    is_estimated = any(move.loss is not None and not move.loss.exact for move in errors)
    return f"{'about ' if is_estimated else ''}{mean}{_inflect(unit, mean)}"


def list_errors(player: PlayerSummary) -> str:
    """List a player's numbers of errors by label: "1 inaccuracy, no mistakes, 2 blunders"."""
    counts = [(player.labels[label], label.value, plural) for label, plural in PLURALS.items()]
    return ", ".join(f"{count or 'no'} {noun if count == 1 else plural}" for count, noun, plural in counts)


def name_move(move: MoveReview, names: tuple[str, ...]) -> str:
    """Return the heading of a move: its number from 1, its player, and the move."""
    return f"{move.ply + 1}. {names[move.seat]}: {move.move}"


def name_label(review: Review, move: MoveReview) -> str:
    """Return the label of a move, or why it has none."""
    return move.label or ("withheld" if move.ply in review.withheld else "not judged")


def address_reader(review: Review, seat: int) -> Review:
    """Return a review that addresses the player at a seat as “you”.

    A fact about another player's move calls that player “you”, and says so.
    """
    name = review.players[seat].name
    # Replace names only in sentences about results, after a comma: a name may be part of another, or a word of a fact.
    clause = re.compile(rf"(?<=, ){re.escape(name)} ({'|'.join(_VERBS)})\b")

    def address(statement: Statement, mover: int) -> Statement:
        text = statement.text
        if not statement.theme:
            text = clause.sub(lambda found: f"you {_VERBS[found[1]]}", text)
        if mover != seat and re.search(r"\byour?\b", statement.text):
            text += f" Here “you” is {review.players[mover].name}."
        return statement._replace(text=text)

    moves = tuple(
        replace(move, statements=tuple(address(each, move.seat) for each in move.statements)) for move in review.moves
    )
    players = tuple(player._replace(name=YOU) if player.seat == seat else player for player in review.players)
    verdict, _, reason = review.result.partition(": ")
    result = f"{verdict}: {YOU}{reason.removeprefix(name)}" if reason in _list_departures(name) else review.result
    return replace(review, result=result, moves=moves, players=players)


def _list_departures(name: str) -> list[str]:
    """List the phrases by which results say that a player left."""
    return [describe_end(end, player=name) for end in (Termination.RESIGNATION, Termination.TIMEOUT)]


def describe_result(review: Review) -> str:
    """Return the result with names instead of seats, and for the player who reads it: "Ada wins 2 : 0; all boxes are
    taken", "You lost 0 : 2; all boxes are taken", "You resigned".
    """
    reason = review.result.partition(": ")[2]
    if reason in _list_departures(YOU):
        return reason
    names = list_names(review)
    own = [seat for seat, name in enumerate(names) if name == YOU]
    return describe(review.result, names, review.record.game, own, has_reason=True)


def describe_turn(review: Review, turn: MoveReview) -> str:
    """Describe the move that lost a game of two parties."""
    names, parties = list_names(review), review.record.game.options.parties
    mine = next(party for party in parties if turn.seat in party)
    rivals = next(party for party in parties if turn.seat not in party)
    is_proven = turn.loss is not None and turn.loss.exact
    chance = Interval.at(0.5) if turn.evaluation is None else turn.evaluation.win
    before = (
        f"the game was {'' if chance.low == chance.high else 'about '}even"
        if chance.low <= 0.5
        else _describe_winners(names, mine)
    )
    # The chance after the move is at most the highest one before it minus the lower bound of the loss.
    is_lost = turn.loss is None or chance.high - turn.loss.win.low < 0.5
    basis = "" if is_proven else ", by estimate"
    move = name_move_in_words(review.positions[turn.ply], turn.move)
    return (
        f"Move {turn.ply + 1}, {move}, turned the game: before it {before}, after it "
        f"{_describe_winners(names, rivals, is_certain=is_lost)}{basis}."
    )


def _describe_winners(names: tuple[str, ...], party: tuple[int, ...], *, is_certain: bool = True) -> str:
    """Say that a party was winning, or had the better chances, within a sentence."""
    who = " and ".join("you" if names[seat] == YOU else names[seat] for seat in party)
    if not is_certain:
        return f"{who} had the better chances"
    return f"{who} {'were' if len(party) > 1 or who == 'you' else 'was'} winning"


def list_names(review: Review) -> tuple[str, ...]:
    """Return the names of the players by seat."""
    return tuple(player.name for player in review.players)


def has_points(review: Review) -> bool:
    """Return whether margins mean anything."""
    return review.record.game.spec.scoring == "points"

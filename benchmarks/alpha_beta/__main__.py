"""Play alpha-beta against a side of `fourcorners match`: `python -m benchmarks.alpha_beta GAME [SIDE] --seconds S`.

Alpha-beta knows only the rules. It plays games of two parties in which nothing is hidden. The openings and their number
are those of `fourcorners match`; time is processor time. The result is JSON, with the share of alpha-beta.
"""

import argparse
import json
import sys

from benchmarks.alpha_beta.iterative_deepening import IterativeDeepening, can_search
from fourcorners.core import catalogue, slices
from fourcorners.players.engine_match import EngineMatch, Score, parse_side


def play_game(match: EngineMatch, opening: int, seats: tuple[int, ...], seconds: float) -> float:
    """Play one game with alpha-beta on one party's seats and the match's second side on the others; return the share of
    the win of alpha-beta.
    """
    position = match.play_opening(opening)
    rival, search = match.second.create_computer(opening), None
    while position.seat is not None:
        if position.seat not in seats:
            position = position.play(rival.choose_move(position))
            continue
        view = position.view(position.seat)
        if search is None:
            search = IterativeDeepening(view)
        else:
            search.follow(view)
        search.run(None, seconds)
        action = search.rank_actions()[0].action
        position = position.play(position.game.spec.notation.format(position.record, action))
    winners = position.outcome.winners if position.outcome else ()
    return (seats[0] in winners) / max(1, sum(party[0] in winners for party in match.seatings))


def main() -> None:
    """Read the command line, play, print the share so far after each opening, and at last the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alpha_beta", description=__doc__)
    parser.add_argument("game", help="the id of a game")
    parser.add_argument("side", nargs="?", default="plain", help="the other side, as `fourcorners match` names them")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seconds", type=float, default=0.1, help="processor time per move of both players")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the openings")
    args = parser.parse_args()
    game = catalogue.parse_game(args.game, dict(option.split("=", 1) for option in args.option))
    if not can_search(game.start(seed=0).view(None)):
        parser.error(f"{game.title} hides something, or does not have two parties")
    side = parse_side(game, args.side, seconds=args.seconds)
    match, shares = EngineMatch(game, side, side, seed=args.seed), list[float]()
    with slices.count_processor_time():
        for opening in range(-(-args.games // 2)):
            shares.append(sum(play_game(match, opening, seats, args.seconds) for seats in match.seatings) / 2)
            print(f"{2 * len(shares)} games: {sum(shares) / len(shares):.1%}", file=sys.stderr, flush=True)
    score = Score(tuple(shares), 2 * len(shares))
    low, high = score.interval
    result = {"games": score.games, "share": score.mean, "low": low, "high": high}
    print(json.dumps({name: round(value, 4) for name, value in result.items()}))


if __name__ == "__main__":
    main()

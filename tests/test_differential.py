"""The games against slow, separately written references: legal moves, seat, points and end of whole games."""

import random
from collections import Counter

import pytest

import fourcorners as fc
from tests.reference import REFERENCES, draw_setup

pytestmark = pytest.mark.compiled

# Enough games to use every rule, ruling and option once, and ten times.
GAMES = {"squarin-off": 45, "square-off": 45, "squendo": 45, "sqez": 125}
LONGEST = "squendo"
MANY_GAMES = {"squarin-off": 1500, "square-off": 1500, "squendo": 800, "sqez": 2000}


def play_and_compare_game(name: str, seed: int, used: Counter[str]) -> int:
    """Play a game with random options on our rules and on the reference; return the number of plies.

    Assert at every ply that both have the same seat to move, points and legal moves, and that both end together. The
    moves are chosen so that rare rules are used; the seed determines options, deck and moves. Add to `used`, by key of
    the reference, how often each rule, ruling and option was used.
    """
    rng = random.Random(seed)
    deck, options = draw_setup(name, rng)
    module = REFERENCES[name]
    reference = module.Reference(deck=deck, **options) if deck else module.Reference(**options)
    position = fc.game(name, **options).start(deck=deck)
    plies = 0
    while not reference.is_over:
        where = f"{name} {options} seed {seed} after {position.history}"
        assert position.seat == reference.seat, where
        assert position.scores == reference.scores, where
        assert position.moves() == reference.moves(), where
        move = module.choose_rare_move(reference, rng)
        reference.play(move)
        position = position.play(move)
        plies += 1
    assert position.is_over, f"{name} {options} seed {seed} after {position.history}"
    assert position.scores == reference.scores
    used.update(reference.used)
    return plies


def play_and_compare_games(name: str, games: int, min_uses: int) -> None:
    """Compare games with the seeds 0 to `games` - 1, and assert that each rule was used at least `min_uses` times.

    Rulings and options count as rules here: what the reference lists in `KEYS`, and nothing else, must have been used.
    """
    used: Counter[str] = Counter()
    plies = sum(play_and_compare_game(name, seed, used) for seed in range(games))
    assert plies > games  # the games were not over at once
    rare = {key: used[key] for key in REFERENCES[name].KEYS if used[key] < min_uses}
    assert not rare, f"used less than {min_uses} times in {games} games: {rare}"
    assert set(used) <= set(REFERENCES[name].KEYS)


@pytest.mark.parametrize(
    "name", [*(name for name in REFERENCES if name != LONGEST), pytest.param(LONGEST, marks=pytest.mark.ci)]
)
def test_whole_games_agree_with_the_reference_and_use_every_rule(name: str) -> None:
    play_and_compare_games(name, GAMES[name], min_uses=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
def test_many_games_agree_with_the_reference_and_use_every_rule_ten_times(name: str) -> None:
    play_and_compare_games(name, MANY_GAMES[name], min_uses=10)

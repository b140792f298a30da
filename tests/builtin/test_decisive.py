"""The frame around what decided a finished game."""

import random
from itertools import pairwise
from typing import Any

import pytest

import fourcorners as fc


def play_random_game(name: str, seed: int, **options: Any) -> fc.Match:
    """Return a finished match of random moves."""
    rng = random.Random(seed)
    match = fc.Match(fc.game(name, **options), seed=seed)
    while not match.is_over:
        match.play(rng.choice(match.position.moves()))
    return match


def list_frames(position: fc.Position) -> list[str]:
    """Return the labels of the frames in a position's picture."""
    return [element.label for element in position.view().scene().board.elements if "decisive" in element.classes]


def find_decisive_ply(match: fc.Match) -> int:
    """Return the first ply after which the winner has more points than anyone else could still reach."""
    final = match.position.scores
    winner = final.index(max(final))
    for ply, position in enumerate(match.positions):
        left = sum(final) - sum(position.scores)
        rival = max(points for seat, points in enumerate(position.scores) if seat != winner)
        if position.scores[winner] > rival + left:
            return ply
    raise AssertionError("the winner has more points than the others at the end")


@pytest.mark.parametrize("options", [{"cols": 3, "rows": 3}, {"cols": 3, "rows": 2, "players": 3}])
def test_boxes_of_the_move_after_which_no_rival_could_catch_up_are_framed(options: dict[str, Any]) -> None:
    framed = 0
    for seed in range(12):
        match = play_random_game("squarin-off", seed, **options)
        if match.position.scores.count(max(match.position.scores)) > 1:
            assert list_frames(match.position) == []
            continue
        ply = find_decisive_ply(match)
        taken = _list_owned_boxes(match.positions[ply]) - _list_owned_boxes(match.positions[ply - 1])
        assert {label.removesuffix(" decided the game") for label in list_frames(match.position)} == taken
        framed += 1
    assert framed > 6


def _list_owned_boxes(position: fc.Position) -> set[str]:
    """Return the names of the boxes whose label ends with the colour of their owner."""
    labels = [element.label.split(", ") for element in position.view().scene().board.elements]
    return {parts[0] for parts in labels if parts[0].startswith("box") and parts[-1] in position.game.seat_names}


def test_last_square_of_the_winner_is_framed() -> None:
    for seed in range(6):
        match = play_random_game("square-off", seed, size=4)
        scores = match.position.scores
        if scores[0] == scores[1]:
            assert list_frames(match.position) == []
            continue
        winner = scores.index(max(scores))
        last = max(ply for ply, (a, b) in enumerate(pairwise(match.positions)) if b.scores[winner] > a.scores[winner])
        [label] = list_frames(match.position)
        corners = label.removeprefix("the square ").removesuffix(" decided the game").split(" to ")
        assert set(match.events[last].text.split(" ")) & set(_list_corners(*corners))


def _list_corners(low: str, high: str) -> list[str]:
    """Return the corners of a square, given its lower left and its upper right one."""
    return [low, high, low[0] + high[1:], high[0] + low[1:]]


def test_last_rectangle_of_sqez_is_framed_and_a_running_game_has_no_frame() -> None:
    match = play_random_game("sqez", 1)
    assert list_frames(match.position) == [f"{match.events[-1].text.replace(' ', ' to ')} decided the game"]
    assert all(not list_frames(position) for position in match.positions[:-1])


def test_filled_rectangle_of_the_only_winner_of_squendo_is_framed() -> None:
    match = play_random_game("squendo", 5)
    assert list_frames(match.position) == ["the rectangle of 2 by 2 decided the game"]
    assert all(not list_frames(position) for position in match.positions[:-1])

"""What games say a move changes: every number is proven by play, and every theme has advice."""

import random
import re
from collections import Counter

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.players.hint_claims import Hint, find_unproven
from fourcorners.study.teaching import Teaching
from tests.builtin.squarin_off.positions import set_up_chains
from tests.require import require

BOARDS = [
    ("dots-and-boxes", {"cols": 3, "rows": 3}),
    ("squarin-off", {"cols": 3, "rows": 3, "blockers": 1}),
    ("square-off", {"size": 4}),
    ("sqez", {"cols": 6, "rows": 6}),
    ("sqez", {"cols": 6, "rows": 5, "enclose": "any"}),
    ("squendo", {"players": 3}),
]


def list_facts(position: fc.Position, move: str) -> list[Hint]:
    """Return the facts of a legal move; assert that play proves them, and that their themes have advice."""
    facts = require(position.game.spec.part(Teaching).facts_of_moves)
    view = position.view(position.seat)
    found = list(facts.list_facts(view, int(position.game.spec.notation.parse(view.record, move))))
    for fact in found:
        assert find_unproven(fact, np.array(position.states), facts.QUANTITIES) == [], (position.text, move, fact)
        assert fact.theme in facts.THEMES
    return found


@pytest.mark.parametrize(("name", "options"), BOARDS)
def test_facts_of_random_moves_are_proven_by_play(name: str, options: dict[str, object]) -> None:
    rng, position, count = random.Random(7), fc.game(name, **options).start(seed=2), 0
    for ply in range(24):
        if position.is_over:
            break
        move = rng.choice(position.moves())
        if ply % 3 == 0:
            count += len(list_facts(position, move))
        position = position.play(move)
    assert count >= 1


def test_opening_a_long_chain_says_what_is_taken_and_what_is_handed_back() -> None:
    position = set_up_chains(5, 4)
    facts = {fact.theme: fact.text for fact in list_facts(position, "a1a2")}
    assert facts["double-dealing"] == (
        "opens the long chain at a1, worth 5 points: the next player can take 3 and hand back 2 to keep control"
    )
    assert facts["chain-rule"] == "changes the number of long chains to 1, which is odd"


def test_a_square_left_open_and_a_fork_are_named_with_their_cells() -> None:
    game = fc.game("square-off", size=4, swap=False, symmetry="none")
    position = game.replay(["a1", "d4", "a2", "d3", "b1", "c1"])
    assert any("complete a square on" not in fact.text for fact in list_facts(position, "b2"))
    texts = [fact.text for fact in list_facts(position.play("c2"), "c3")]
    assert "lets the opponent complete a square on b2 and mark 4 men" in texts


@pytest.mark.parametrize(
    ("moves", "move", "threats"),
    [
        ("a1 h8 b1 f7", "b2", ["threatens to complete a square on a2 and mark 4 men"]),
        ("a1 h8 b1 f7 b2 g5", "e8", ["threatens to complete a square on 1 cell"]),
        ("a1 h8 b1 f7", "h2", []),
    ],
)
def test_a_single_threat_is_said_once_whether_or_not_the_move_has_made_it(
    moves: str, move: str, threats: list[str]
) -> None:
    facts = list_facts(fc.game("square-off").replay(moves.split()), move)
    assert [fact.text for fact in facts if "threat" in fact.text] == threats


def test_the_number_of_moves_left_is_named_when_no_rectangle_gets_in_the_way_of_another() -> None:
    position = fc.game("sqez", cols=7, rows=3).start()
    found = [fact for move in position.moves() for fact in list_facts(position, move) if fact.theme == "parity"]
    assert found
    for fact in found:
        left = fact.claims[0].number
        end = position
        for action in fact.claims[0].line:
            end = end.play(end.game.spec.notation.format(end.record, action))
        # This many moves follow, whatever is drawn.
        count = 0
        while not end.is_over:
            end, count = end.play(end.moves()[-1]), count + 1
        assert count == left


def test_places_that_lack_one_tile_of_a_colour_are_counted() -> None:
    game, rng, most = fc.game("squendo"), random.Random(6), 0
    facts = require(game.spec.part(Teaching).facts_of_moves)
    for seed in range(8):
        position = game.start(seed=seed)
        for _ in range(12):
            before, move = position, rng.choice(position.moves())
            position = position.play(move)
            counts = [facts.QUANTITIES[f"gaps of seat {seat}"] for seat in range(2)]
            if any(count(before.record) != count(position.record) for count in counts):
                texts = [fact.text for fact in list_facts(before, move)]
                most += any("to complete a rectangle" in text for text in texts)
    assert most > 0


@pytest.mark.compiled
def test_squendo_says_once_by_how_much_a_move_changes_points() -> None:
    rng, said = random.Random(3), 0
    for seed in range(4):
        position = fc.game("squendo").start(seed=seed)
        for _ in range(16):
            move = rng.choice(position.moves())
            after = position.play(move)
            changes = [new - old for new, old in zip(after.scores, position.scores, strict=True)]
            facts = [fact for fact in list_facts(position, move) if not fact.claims or not fact.claims[0].quantity]
            texts = [fact.text for fact in facts if re.search(r"\d", fact.text)]
            assert len(texts) == any(changes), (move, texts)
            numbers = Counter(re.findall(r"-?\d+", " ".join(texts)))
            assert Counter(str(abs(change)) for change in changes if change) <= numbers, (move, texts)
            said += any(changes)
            position = after
    assert said > 20


@pytest.mark.parametrize(
    ("moves", "move", "text"),
    [
        ("B3x 0,0 r0", "G3x 0,0 r0", "costs blue 1 point"),
        ("R0o 0,0 r0, B2ax 0,1 r0", "B1o 0,0 r1", "costs red 1 point and gives blue 2 points"),
    ],
)
def test_squendo_says_what_a_seat_loses_without_a_sign(moves: str, move: str, text: str) -> None:
    position = fc.game("squendo").start(seed=0)
    for each in moves.split(", "):
        position = position.play(each)
    assert text in [fact.text for fact in list_facts(position, move)]


@pytest.mark.parametrize(("move", "theme"), [("B2ao 0,0 r0", "stacks"), ("B0x 1,0 r0", "rectangles")])
def test_squendo_move_that_only_gains_a_point_is_about_stacks_if_it_makes_one(move: str, theme: str) -> None:
    position = fc.game("squendo").start(seed=3).play("B1o 0,0 r0")
    assert [fact.theme for fact in list_facts(position, move) if not fact.claims[0].quantity] == [theme]

"""The independent programs: their values, their moves and matches."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import fourcorners as fc
from benchmarks.sparring.__main__ import Program, SparringMatch, compile_program, list_edge_names, play_match
from benchmarks.versions import Usage
from fourcorners.players.engine_match import EngineMatch, parse_side
from fourcorners.solvers.solver_run import compute_margin

# Margins for the seat that begins, by columns and rows, published or found by two methods.
KNOWN = {(1, 1): -1, (2, 1): 0, (6, 1): 0, (2, 2): 2, (3, 2): -2, (4, 2): 2, (5, 2): -2, (3, 3): -3}
DOTS = fc.game("dots-and-boxes", cols=4, rows=3)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the compiled program; this needs a C++ compiler, which `scripts/test` installs."""
    return compile_program("dots-and-boxes", tmp_path_factory.mktemp("sparring"))


@pytest.fixture
def program(path: Path) -> Iterator[Program]:
    """Return the program for boards of 4 x 3 boxes."""
    with Program(path, DOTS) as running:
        yield running


@pytest.mark.ci
def test_known_boards_have_their_margins(path: Path) -> None:
    for (cols, rows), margin in KNOWN.items():
        with Program(path, fc.game("dots-and-boxes", cols=cols, rows=rows)) as running:
            running.start_game()
            assert running.solve(60) == margin


@pytest.mark.ci
def test_program_chooses_a_best_move_of_small_positions(program: Program) -> None:
    rng = random.Random(1)
    game = DOTS
    compared = 0
    for _ in range(20):
        position = game.start()
        program.start_game()
        while len(position.moves()) > rng.randint(4, 14):
            move = rng.choice(position.moves())
            position = position.play(move)
            program.play(move)
        if position.is_over:
            continue
        solution = fc.solve(position, every_move=True)
        assert program.solve(60) == solution.remaining_margin
        move = program.choose(5).move
        lead = compute_margin(position, position.seat or 0)
        # It plays for the win, not for the margin.
        if lead + solution.remaining_margin > 0:
            assert lead + solution.values[move] > 0
        compared += 1
    assert compared >= 15


@pytest.mark.ci
def test_program_refuses_bad_lines_and_goes_on(program: Program) -> None:
    for command in ("new 20 20", "new", "play 0", "play -1", "hello"):
        with pytest.raises(RuntimeError, match="the program answered 'error"):
            program.ask(command)
    program.start_game()
    with pytest.raises(RuntimeError, match="error"):
        program.ask("play 999")
    assert program.choose(0.01).move in list_edge_names(4, 3)


@pytest.mark.ci
def test_program_plays_on_the_largest_boards(path: Path) -> None:
    for cols, rows in ((7, 7), (7, 8)):
        with Program(path, fc.game("dots-and-boxes", cols=cols, rows=rows)) as running:
            running.start_game()
            free = set(list_edge_names(cols, rows))
            while free:
                move = running.choose(0.002).move
                free.remove(move)
                running.play(move)


@pytest.mark.ci
def test_match_plays_each_opening_from_both_seats(path: Path) -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=2)
    side = parse_side(game, "1", seconds=0.01)
    reports: list[int] = []
    lines: list[str] = []
    usage = Usage(), Usage()
    with Program(path, game) as running:
        match = SparringMatch(EngineMatch(game, side, side, seed=3), running, 0.01, usage, lines.append)
        shares = play_match(match, 3, lambda found: reports.append(len(found)))
    assert len(shares) == 2 and reports == [1, 2]
    assert all(0.0 <= share <= 1.0 for share in shares)
    # Four games of twelve edges, two of which the opening draws.
    assert usage[0].moves + usage[1].moves == 4 * 10
    assert len(lines) == 4 and all(len(line.split()[-1].split(",")) == 12 for line in lines)


@pytest.mark.ci
def test_program_for_square_off_knows_the_rules_and_takes_what_is_free(tmp_path: Path) -> None:
    game = fc.game("square-off")
    with Program(compile_program("square-off", tmp_path), game) as running:
        rng = random.Random(2)
        # The symmetry right is a move of two cells.
        right = next(move for move in game.replay(["d4", "e5"]).moves() if " " in move)
        for opening in [["d4", "e5", right], ["d4", "e5"], ["d4", "swap"], ["d4"], *8 * [[]]]:
            position = game.start()
            running.start_game()
            for ours in opening:
                running.play(ours)
                position = position.play(ours)
            while position.seat is not None:
                move = rng.choice(position.moves()) if rng.random() < 0.5 else running.choose(0.001).move
                assert move in position.moves()
                running.play(move)
                position = position.play(move)
        # Black completes a square with its last man, or loses.
        position = game.replay(["a1", "h8", "b1", "h7", "g1", "g8", "d4", "a8", "h1"])
        running.start_game()
        for move in position.history:
            running.play(move)
        assert running.choose(0.3).move == "g7"

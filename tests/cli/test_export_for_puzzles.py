"""The operator writes the games of consenting players as records for the generator of puzzles."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import fourcorners as fc
from benchmarks.puzzles.candidates import Candidate, play_game
from benchmarks.puzzles.collection import list_tasks, run_task
from benchmarks.puzzles.sets import find_set
from fourcorners.cli import app
from fourcorners.web.domain.rows import Chair, TableEvent
from fourcorners.web.store import Store
from tests.web.stored import GUEST, OTHER, build_table, register_stored_account


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a store in the folder `games` of the test in which the account Zephyrine consents, and close it."""
    opened = Store(tmp_path / "games")
    account = register_stored_account(opened, name="Zephyrine")
    opened.save_puzzle_consent(account, consents=True)
    yield opened
    opened.close()


def add_match(store: Store, match: fc.Match, table_id: str, player: str = GUEST, more: str = "") -> None:
    """Store a match as a finished game of a player, called Zephyrine, against a computer, and `more`, another event of
    the player's seat.
    """
    chairs = [Chair(0, "person", player, "Zephyrine", taken=True), Chair(1, "computer:3", None, "Level 3", taken=True)]
    events = [TableEvent(n, event.seat, event.text, f"c{n}", 2.0) for n, event in enumerate(match.events, 1)]
    if more:
        events.append(TableEvent(len(events) + 1, 0, more, "more", 2.0))
    table = build_table(
        table_id,
        game=match.game.id,
        options=match.game.given_options(),
        deck=list(match.deck),
        nonce=match.nonce,
        chairs=chairs,
        events=events,
        version=len(events),
        result="over",
    )
    store.add_table(table).result(30)


def play_to_the_end(match: fc.Match) -> fc.Match:
    """Play the first legal move until the game is over, and return the match."""
    while not match.is_over:
        match.play(match.position.moves()[0])
    return match


def export(store_folder: Path, folder: Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, ["tables", "export-for-puzzles", str(folder), "--data", str(store_folder)])


def test_games_of_consenting_players_become_records_without_names_which_the_generator_reads(
    store: Store, tmp_path: Path
) -> None:
    """Neither dates, nor the ids of tables, nor what the shuffle was made of are in them; equal games are one."""
    boxes = play_to_the_end(fc.Match(fc.game("dots-and-boxes", cols=2, rows=1)))
    resigned = fc.Match(fc.game("squendo"))
    resigned.resign(0)
    for number, match in enumerate((boxes, boxes, resigned)):
        add_match(store, match, f"table-{number}")
    add_match(store, play_to_the_end(fc.Match(fc.game("sqez", cols=3, rows=3))), "other", OTHER)
    folder = tmp_path / "new" / "records"
    completed = export(tmp_path / "games", folder)
    assert (completed.exit_code, completed.output) == (0, f"wrote 2 games to {folder}\n")
    texts = {path: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    matches = [fc.Record.replay(text) for text in texts.values()]
    assert {match.game.id: match.result for match in matches} == {
        "dots-and-boxes": boxes.result,
        "squendo": resigned.result,
    }
    secrets = ("Zephyrine", "Level 3", boxes.date, resigned.nonce, resigned.commitment, "table-")
    assert not [word for text in texts.values() for word in secrets if word in text]
    assert all(path.stem.isalnum() and len(path.stem) == 16 for path in texts)
    tasks = list_tasks("dots-and-boxes", 1, folder)
    assert [next(tasks)[1] for _ in texts] == sorted(map(str, texts))


def test_games_that_were_closed_or_cannot_be_replayed_are_left_out(store: Store, tmp_path: Path) -> None:
    small = fc.game("sqez", cols=3, rows=3)
    add_match(store, fc.Match(small), "closed", more="@close")
    add_match(store, fc.Match(small), "running")
    add_match(store, fc.Match(small), "broken", more="no move of any game")
    add_match(store, fc.Match(small), "resigned", more="!resign")
    completed = export(tmp_path / "games", tmp_path / "records")
    assert completed.exit_code == 0
    assert completed.stdout == f"wrote 1 game to {tmp_path / 'records'}\n"
    assert completed.stderr == "left out 1 game that could not be replayed\n"
    [path] = (tmp_path / "records").iterdir()
    assert fc.Record.replay(path.read_text(encoding="utf-8")).result == "seat 1 wins 0-0: seat 0 resigned"


def test_games_stay_out_once_the_consent_is_withdrawn_and_a_folder_with_files_is_refused(
    store: Store, tmp_path: Path
) -> None:
    add_match(store, fc.Match(fc.game("sqez", cols=3, rows=3)), "one", more="!resign")
    first, second = tmp_path / "first", tmp_path / "second"
    assert export(tmp_path / "games", first).stdout.startswith("wrote 1 game ")
    store.save_puzzle_consent(GUEST, consents=False)
    refused = export(tmp_path / "games", first)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == f"fourcorners: {first} is not empty: name a new folder\n"
    assert export(tmp_path / "games", second).stdout.startswith("wrote 0 games ")
    assert len(list(first.iterdir())) == 1 and list(second.iterdir()) == []


def test_nothing_is_created_where_there_are_no_games(tmp_path: Path) -> None:
    refused = export(tmp_path / "nowhere", tmp_path / "records")
    assert refused.exit_code == 1 and "there are no games in" in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.compiled
def test_puzzles_are_found_in_games_of_consenting_players(store: Store, tmp_path: Path) -> None:
    game = fc.game("sqez")
    for seed in range(1, 7):
        match = fc.Match(game)
        for position in play_game(game, find_set(game), seed, random.Random(seed)).positions[1:]:
            match.play(position.last_move.move)
        add_match(store, play_to_the_end(match), f"table-{seed}")
    export(tmp_path / "games", tmp_path / "records")
    names = [path.stem for path in (tmp_path / "records").iterdir()]
    tasks = list_tasks("sqez", 1, tmp_path / "records")
    candidates = [Candidate.from_json(line) for line in (run_task(next(tasks)) for _ in names) if line]
    assert len(names) == 6 and candidates
    assert {candidate.source.partition(", ply ")[0] for candidate in candidates} <= {f"record {name}" for name in names}

"""Generate the puzzles of a game: `python -m benchmarks.puzzles GAME --out FILE`; docs/puzzles.md describes them."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import fourcorners as fc
from benchmarks.puzzles.candidates import is_decisive
from benchmarks.puzzles.collection import collect_candidates, count_processors, list_tasks
from benchmarks.puzzles.lines import extend_puzzles
from benchmarks.puzzles.selection import choose_varied, create_puzzle, rate_again, sort_puzzles
from benchmarks.puzzles.sets import find_set
from fourcorners.study.puzzles.format import Puzzle, format_puzzles, list_puzzles


def main() -> None:
    """Read the command line, write a file of puzzles, and print counts and the quartiles of ratings as JSON."""
    parser = argparse.ArgumentParser(description="Generate puzzles with proven best moves; counts as JSON on stdout.")
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--count",
        type=int,
        default=300,
        help="how many puzzles, or with --lines how many of several moves are enough (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first game (%(default)s)")
    parser.add_argument("--records", type=Path, help="a folder of records, *.txt, to use before games between levels")
    parser.add_argument(
        "--jobs",
        type=int,
        default=count_processors(),
        help="processes, 0 for none but this one; default: one per processor",
    )
    parser.add_argument("--out", type=Path, required=True, help="the CSV file to write")
    parser.add_argument("--work", type=Path, help="the file of candidates, with which a stopped run goes on")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--rate", action="store_true", help="only rate the game's puzzles again")
    only.add_argument("--fill", action="store_true", help="keep the game's puzzles that suit, and only add new ones")
    only.add_argument("--lines", action="store_true", help="only find the later decisions of the game's puzzles again")
    args = parser.parse_args()
    if args.rate:
        puzzles = [rate_again(puzzle) for puzzle in list_puzzles(args.game)]
    elif args.lines:
        puzzles = find_lines(list_puzzles(args.game), args)
    else:
        kept = [puzzle for puzzle in list_puzzles(args.game) if suits(puzzle)] if args.fill else []
        puzzles = [*kept, *find_lines(generate_puzzles(args, kept), args)]
    puzzles = sort_puzzles(puzzles)
    args.out.write_text(format_puzzles(puzzles), encoding="utf-8", newline="")
    themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes)
    ratings = sorted(puzzle.rating for puzzle in puzzles)
    quartiles = [ratings[(len(ratings) - 1) * part // 4] for part in range(5)]
    later = sum(bool(puzzle.later) for puzzle in puzzles)
    figures = {
        "puzzles": len(puzzles),
        "of several moves": later,
        "ratings": quartiles,
        "themes": dict(themes.most_common()),
    }
    print(json.dumps({"game": args.game, **figures}))


def find_lines(puzzles: Sequence[Puzzle], args: argparse.Namespace) -> list[Puzzle]:
    """Return puzzles with their later decisions, and show on stderr how many are done."""
    return extend_puzzles(puzzles, args.jobs, args.count, lambda done: show(f"{done} of {len(puzzles)} puzzles"))


def generate_puzzles(args: argparse.Namespace, kept: Sequence[Puzzle]) -> list[Puzzle]:
    """Return as many new puzzles as are missing besides those that are kept, and show on stderr how many candidates
    there are.
    """
    work: Path = args.work or args.out.with_suffix(".candidates")
    missing = max(0, args.count - len(kept))
    wanted = round(missing * find_set(fc.game(args.game)).surplus)
    tasks = list_tasks(args.game, args.seed, args.records)
    candidates = collect_candidates(
        args.game, wanted, tasks, work, args.jobs, lambda found: show(f"{found} of {wanted} candidates")
    )
    known = {puzzle.id for puzzle in kept}
    created = (create_puzzle(args.game, candidate) for candidate in candidates)
    return choose_varied((puzzle for puzzle in created if puzzle.id not in known), missing)


def suits(puzzle: Puzzle) -> bool:
    """Return whether as much depends on the best move of a puzzle as its game's set asks for now."""
    return is_decisive(puzzle.position, puzzle.value, puzzle.next_value, find_set(puzzle.game))


def show(words: str) -> None:
    """Show on stderr how far the work is, in place of what was shown before."""
    sys.stderr.write(f"\r{words}")
    sys.stderr.flush()


if __name__ == "__main__":
    main()

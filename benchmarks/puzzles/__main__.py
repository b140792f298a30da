"""Generate the puzzles of a game: `python -m benchmarks.puzzles GAME --out FILE`; docs/puzzles.md describes them."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import fourcorners as fc
from benchmarks.puzzles.collection import collect_candidates, count_processors, list_tasks
from benchmarks.puzzles.selection import choose_varied, create_puzzle, rate_again, sort_puzzles
from benchmarks.puzzles.sets import find_set
from fourcorners.study.puzzles.format import Puzzle, format_puzzles, list_puzzles


def main() -> None:
    """Read the command line, write a file of puzzles, and print counts and the quartiles of ratings as JSON."""
    parser = argparse.ArgumentParser(description="Generate puzzles with proven best moves; counts as JSON on stdout.")
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--count", type=int, default=300, help="how many puzzles (%(default)s)")
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
    parser.add_argument("--rate", action="store_true", help="only rate the game's puzzles again")
    args = parser.parse_args()
    puzzles = sort_puzzles(map(rate_again, list_puzzles(args.game))) if args.rate else generate_puzzles(args)
    args.out.write_text(format_puzzles(puzzles), encoding="utf-8", newline="")
    themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes)
    ratings = sorted(puzzle.rating for puzzle in puzzles)
    quartiles = [ratings[(len(ratings) - 1) * part // 4] for part in range(5)]
    figures = {"puzzles": len(puzzles), "ratings": quartiles, "themes": dict(themes.most_common())}
    print(json.dumps({"game": args.game, **figures}))


def generate_puzzles(args: argparse.Namespace) -> list[Puzzle]:
    """Return new puzzles, sorted as in a file, and show on stderr how many candidates there are."""
    work: Path = args.work or args.out.with_suffix(".candidates")
    wanted = round(args.count * find_set(fc.game(args.game)).surplus)

    def report(found: int) -> None:
        sys.stderr.write(f"\r{found} of {wanted} candidates")
        sys.stderr.flush()

    tasks = list_tasks(args.game, args.seed, args.records)
    candidates = collect_candidates(args.game, wanted, tasks, work, args.jobs, report)
    return choose_varied((create_puzzle(args.game, candidate) for candidate in candidates), args.count)


if __name__ == "__main__":
    main()

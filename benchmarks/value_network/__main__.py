"""Let the strongest level of a game play against itself, fit its value network to these games, and write it.

If the command is stopped, run it again to continue. The network is written into the sources, so the next games should
go into a new folder: the level then plays with it.
"""

import argparse
import json
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from pathlib import Path

from benchmarks.value_network.fitting import fit, format_network
from benchmarks.value_network.games import describe_games, find_unit, play_unit, read_units
from benchmarks.value_network.subjects import SUBJECTS


def play(name: str, folder: Path, seconds: float, simulations: int, seed: int, jobs: int) -> None:
    """Play units until those in the folder have taken `seconds` of processor time, in `jobs` processes.

    Raise ValueError if the folder has games of another game, seed or number of simulations.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = json.dumps({"game": name, "simulations": simulations, "seed": seed})
    configuration = folder / "configuration.json"
    if not configuration.exists():
        configuration.write_text(wanted, encoding="utf-8")
    if (played := configuration.read_text(encoding="utf-8")) != wanted:
        raise ValueError(f"{folder} has games with {played}, not with {wanted}")
    used = sum(float(unit.seconds[0]) for _, unit in read_units(folder))
    missing = (number for number in count() if not find_unit(folder, number).exists())
    running: set[Future[float]] = set()
    with ProcessPoolExecutor(jobs) as pool:
        while running or used < seconds:
            while used < seconds and len(running) < jobs:
                running.add(pool.submit(play_unit, name, folder, next(missing), simulations, seed))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            used += sum(unit.result() for unit in done)
            print(f"{used:.0f} of {seconds:.0f} s", flush=True)


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.value_network", description=__doc__)
    parser.add_argument("game", choices=SUBJECTS)
    parser.add_argument("folder", type=Path, help="where the games are, or will be")
    parser.add_argument("--seconds", type=float, default=7_200.0, help="of processor time, for all games (%(default)s)")
    parser.add_argument("--simulations", type=int, default=300, help="for each move (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the games and of the fit (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="processes that play (%(default)s)")
    args = parser.parse_args()
    try:
        play(args.game, args.folder, args.seconds, args.simulations, args.seed, args.jobs)
    except ValueError as error:
        parser.error(str(error))
    sets = describe_games(args.game, args.folder)
    if not sets:
        parser.error(f"{args.folder} has no games; --seconds must be above 0")
    network, report = fit(sets, SUBJECTS[args.game].settings, args.seed)
    for line in report:
        print(json.dumps(line))
    SUBJECTS[args.game].target.write_text(format_network(args.game, network), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The figures of a version without calibration: `python -m benchmarks.calibration.before` writes `before.json`.

That version is checked out into a temporary worktree, and estimates the same positions in its own process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMIT = "7f4347b"  # the last version without calibration
FILE = Path(__file__).with_name("before.json")
_ESTIMATE = "--estimate"  # the first argument of the process of the earlier version


def estimate(terms: dict[str, Any]) -> list[tuple[float, float, bool]]:
    """Return the chance of winning, the margin and whether both are proven, as the version on the path says them of
    each position. Only what earlier versions have as well is used.
    """
    import fourcorners as fc  # noqa: PLC0415  # of the version that is measured

    game = fc.game(terms["game"], **terms["options"])
    spec: Any = game.spec  # of that version, which has levels as a field
    level = spec.levels[-1]._replace(solves=terms["solves"])
    choices = (
        fc.Computer.from_level(level, nodes=terms["nodes"], seed=seed).choose(game.position(text))
        for seed, text in enumerate(terms["positions"])
    )
    return [(choice.win, choice.final_margin, choice.solved) for choice in choices]


def main() -> None:
    """Measure all sets, and write the file."""
    from benchmarks.calibration.figures import Estimate, summarise  # noqa: PLC0415  # not in the other process
    from benchmarks.calibration.positions import SIMULATIONS, TEST_SETS, read_tested_positions  # noqa: PLC0415
    from benchmarks.versions import check_out  # noqa: PLC0415

    found = {}
    with check_out(COMMIT) as tree:
        for name, test_set in TEST_SETS.items():
            tested = read_tested_positions(name)
            terms = {
                "game": test_set.game,
                "options": test_set.options,
                "solves": test_set.solves,
                "nodes": SIMULATIONS,
                "positions": [valued.position.text for valued in tested],
            }
            answer = subprocess.run(  # this program itself
                [sys.executable, "-P", str(Path(__file__).resolve()), _ESTIMATE],
                env=os.environ | {"PYTHONPATH": str(tree / "src")},
                input=json.dumps(terms),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            said = zip(json.loads(answer.stdout), tested, strict=True)
            estimates = [
                Estimate(win, margin, valued.win, valued.margin) for (win, margin, solved), valued in said if not solved
            ]
            found[name] = summarise(estimates)
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == [_ESTIMATE]:
        print(json.dumps(estimate(json.load(sys.stdin))))
    else:
        main()

"""Compare the computer's estimates with exact values: before calibration, and now; or fit the calibration anew."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import fourcorners as fc
from benchmarks.calibration import before as before_calibration
from benchmarks.calibration.figures import Estimate, summarise
from benchmarks.calibration.fitting import Sample, Uncorrected, fit
from benchmarks.calibration.positions import (
    SIMULATIONS,
    TEST_SETS,
    ValuedPosition,
    create_computer,
    read_fitted_positions,
    read_tested_positions,
)
from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.solvers.solver_run import compute_margin

_MANY = 5
"""How many times as many simulations show whether more of them can be trusted more."""


def estimate(name: str, positions: Sequence[ValuedPosition], simulations: int) -> list[Estimate]:
    """Return what the computer says of those positions that it does not prove."""
    estimates = []
    for seed, valued in enumerate(positions):
        computer = create_computer(valued.position.game, TEST_SETS[name], simulations, seed)
        choice = computer.choose(valued.position)
        if not choice.solved:
            estimates.append(Estimate(choice.win, choice.final_margin, valued.win, valued.margin))
    return estimates


def collect_samples(name: str, positions: Sequence[ValuedPosition], simulations: int) -> list[Sample]:
    """Return what the search says without calibration of those positions that it does not prove, and the truth."""
    game = fc.game(TEST_SETS[name].game, **TEST_SETS[name].options)
    plain = Uncorrected()
    spec = game.spec.replace_parts(replace(game.spec.part(ComputerPlay), find_calibration=lambda _: plain))
    uncorrected = Game(spec, game.options.given_options())  # as a preset it would have the preset's part again
    samples = []
    for seed, valued in enumerate(positions):
        position = uncorrected.position(valued.position.text)
        # What the engine estimates is not corrected by these parameters.
        computer = create_computer(uncorrected, TEST_SETS[name], simulations, seed, uses_engine=False)
        choice = computer.choose(position)
        if not choice.solved:
            present = compute_margin(position, position.seat or 0)
            samples.append(Sample(choice.win, choice.final_margin, simulations, present, valued.win, valued.margin))
    return samples


def main() -> None:
    """Read the command line, and print figures or parameters as JSON."""
    parser = argparse.ArgumentParser(description="Compare estimates with exact values; JSON on stdout.")
    parser.add_argument("sets", nargs="*", default=list(TEST_SETS), help=f"some of {', '.join(TEST_SETS)}")
    parser.add_argument("--nodes", type=int, default=SIMULATIONS, help="simulations for each position (%(default)s)")
    parser.add_argument("--fit", action="store_true", help="fit parameters to the other half of the positions instead")
    args = parser.parse_args()
    before = json.loads(before_calibration.FILE.read_text(encoding="utf-8"))
    found: dict[str, Any] = {}
    for name in args.sets:
        if args.fit:
            fitted, samples = read_fitted_positions(name), []
            for simulations in (args.nodes, _MANY * args.nodes):
                samples += collect_samples(name, fitted, simulations)
            found[name] = fit(samples)._asdict()
            if fitted[0].position.game.spec.scoring == "last-move":
                # Margins follow from chances.
                del found[name]["gain_trust"], found[name]["turn_gain"]
        else:
            found[name] = {
                "before": before[name],
                "now": summarise(estimate(name, read_tested_positions(name), args.nodes)),
            }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

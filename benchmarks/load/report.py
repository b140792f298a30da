"""Write figures into docs/performance.md: `python -m benchmarks.load.report COMPARISON.json CURVES.json`, or with
SITES.json or ENVS.json alone.

The files are what `scripts/load`, `scripts/load --curves`, `scripts/load --sites` and `scripts/bench envs` printed.
Tables go between the document's markers, and plots into docs/pictures, so that no figure is typed.
"""

import io
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from benchmarks.load import estimate
from benchmarks.load.curves import (
    COST_HEADER,
    TABLE_HEADER,
    WATCHER_HEADER,
    build_cost_rows,
    build_table_rows,
    build_watcher_rows,
)
from benchmarks.load.targets import (
    EQUAL_HEADER,
    RATE_HEADER,
    SOCKET_HEADER,
    TARGET_HEADER,
    Rows,
    build_equal_rows,
    build_rate_rows,
    build_socket_rows,
    build_target_rows,
    describe_echo,
)
from benchmarks.load.workload import MAX_P99_MS, has_kept_up
from tests.faults.server_process import ROOT

DOCUMENT, PICTURES = ROOT / "docs" / "performance.md", ROOT / "docs" / "pictures"
_QUIET_SHARE, _BUSY_SHARE = 0.15, 0.05
"""A machine is not idle if others use more than the first share of a core in more than the second of measurements."""
_REPEATED = "rounds", "first", "highest"
"""Figures that are those of a step again, or what its medians were computed from."""
_INK, _BLUE, _ORANGE = "#808080", "#3d85c6", "#d9822b"
"""Colours that can be seen on white and on black."""
_STYLE: Any = {
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "text.color"), _INK),
    "svg.fonttype": "none",
    "svg.hashsalt": "fourcorners",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": _INK,
    "grid.alpha": 0.25,
}


def format_table(header: Sequence[str], rows: Rows) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def describe_run(result: Mapping[str, Any]) -> str:
    """Return in a sentence or two on what a run was measured, and whether its figures can be trusted."""
    machine = result["machine"]
    cores = "server and load generator on a core each" if result["pinned"] else "not pinned to cores"
    text = (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}, "
        f"Python {machine['python']}; {cores}; load average at the start {machine['load_average']:g}."
    )
    # At several servers the other programs are the other servers, the proxy and the databases.
    shares = [] if result["kind"] == "sites" else find_values(result, "other_cpu_share")
    busy = sum(share > _QUIET_SHARE for share in shares)
    if result["quick"]:
        text += " **A quick run: rough figures.**"
    if busy > _BUSY_SHARE * len(shares):
        text += (
            f" **The machine was busy: other programs used more than {_QUIET_SHARE:.0%} of a core in {busy} of "
            f"{len(shares)} measurements. Measure again on an idle one.**"
        )
    return text


def find_values(value: Any, name: str) -> list[Any]:
    """List the values with a name anywhere in JSON, those of each step once."""
    if isinstance(value, list):
        return [found for item in value for found in find_values(item, name)]
    if not isinstance(value, dict):
        return []
    here = [value[name]] if name in value else []
    return here + [found for key, item in value.items() if key not in _REPEATED for found in find_values(item, name)]


def build_sections(comparison: Mapping[str, Any], curves: Mapping[str, Any]) -> dict[str, str]:
    """Return the text for each marker of the document."""
    sections = {
        "machine": f"* Comparison: {describe_run(comparison)}\n* Curves: {describe_run(curves)}",
        "targets": format_table(TARGET_HEADER, build_target_rows(comparison["targets"])),
        "rates": format_table(RATE_HEADER, build_rate_rows(comparison["rates"])),
        "equal": format_table(EQUAL_HEADER, build_equal_rows(comparison["rates"])),
        "echo": f"The bare echo takes {describe_echo(comparison['rates'])} ms.",
        "sockets": format_table(SOCKET_HEADER, build_socket_rows(comparison["sockets"])),
        "tables": format_table(TABLE_HEADER, build_table_rows(curves["tables"])),
        "watchers": format_table(WATCHER_HEADER, build_watcher_rows(curves["watchers"])),
        "costs": format_table(COST_HEADER, build_cost_rows(curves["costs"])),
    }
    try:
        costs = estimate.read_costs(comparison, curves)
    except KeyError as error:
        sections["estimate"] = sections["limits"] = f"Not estimated: {error} was not measured."
    else:
        sections["estimate"] = format_table(estimate.CALCULATION_HEADER, estimate.build_calculation_rows(costs))
        sections["limits"] = format_table(estimate.LIMIT_HEADER, estimate.build_limit_rows(costs))
    return sections


def build_site_section(sites: Mapping[str, Any]) -> dict[str, str]:
    """Return the text for the marker of one server and two behind Caddy."""
    rows = [
        [rates["name"], f"{highest['asked_per_s']:g}", f"{highest['acknowledged_ms']['p99']:g} ms"]
        for rates in sites["rates"].values()
        if (highest := rates["highest"])
    ]
    table = format_table(["servers", f"most moves/s, p99 below {MAX_P99_MS:g} ms", "p99"], rows)
    return {"sites": f"{describe_run(sites)}\n\n{table}"}


def build_environment_section(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the text for the marker of environments."""
    figures, machine = result["envs"], result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine.items() if name not in {"processor", "cores"})
    rates = [[name, f"{rate / 1e6:.3g}"] for name, rate in figures["steps_per_s"].items()]
    rough = " **A quick run: rough figures.**" if result["quick"] else ""
    text = [
        f"{machine['processor']}, {machine['cores']} cores; {versions}.{rough}",
        format_table(TARGET_HEADER, build_target_rows(figures["targets"])),
        "All rates, medians:",
        format_table(["loop", "million steps/s"], rates),
    ]
    return {"envs": "\n\n".join(text)}


def fill_in(document: str, sections: Mapping[str, str]) -> str:
    """Replace what stands between <!-- NAME --> and <!-- end --> for each name; raise ValueError if one is missing."""
    for name, text in sections.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        if document.count(begin) != 1:
            raise ValueError(f"the document has {document.count(begin)} places for {name!r}")
        before, _, rest = document.partition(begin)
        _, end, after = rest.partition(end)
        document = f"{before}{begin}{text}\n{end}{after}"
    return document


def draw(label: str, counts: Sequence[int], curves: Sequence[tuple[str, Callable[[Axes], None]]]) -> str:
    """Return plots side by side as SVG, each with a title; `label` is that of the x axes, logarithmic over `counts`."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9.6, 2.9), layout="constrained")
        axes = figure.subplots(1, len(curves))
        for plot, (title, draw_curve) in zip(axes, curves, strict=True):
            plot.set_title(title, fontsize=10)
            plot.set_xscale("log")
            plot.set_xlabel(label)
            plot.grid(visible=True)
            draw_curve(plot)
            # A margin would be that of the data, whose range may be small and far from 0.
            plot.set_ylim(0, 1.1 * plot.dataLim.ymax)
            plot.set_xticks(counts, [f"{count:,}" for count in counts], fontsize=8)
            plot.xaxis.set_minor_locator(NullLocator())
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+\n", "\n", text.getvalue())


def draw_points(label: str, points: Sequence[Mapping[str, Any]], latency: str) -> str:
    """Return the plots of a curve as SVG: the most moves, the latency (the name of its figures) and the memory."""
    points = [point for point in points if "failed" not in point]

    def draw_rate(plot: Axes) -> None:
        """Draw the highest rates; those that the server could have exceeded are open circles."""
        found = [point for point in points if point["highest"] is not None]
        counts, rates = ([point["count"] for point in found], [point["highest"]["asked_per_s"] for point in found])
        plot.plot(counts, rates, color=_BLUE)
        for count, rate, point in zip(counts, rates, found, strict=True):
            last = point["steps"][-1]
            is_open = has_kept_up(last) or last.get("client_is_limit")
            plot.plot(count, rate, "o", color=_BLUE, markerfacecolor="none" if is_open else _BLUE)

    def draw_latency(plot: Axes) -> None:
        """Draw the median and the 99th percentile at the first rate, and the limit."""
        found = [point for point in points if latency in point["first"]]
        for name, colour in (("p50", _BLUE), ("p99", _ORANGE)):
            times = [point["first"][latency][name] for point in found]
            plot.plot([point["count"] for point in found], times, color=colour, marker="o", label=name)
        plot.axhline(MAX_P99_MS, color=_INK, linestyle="dashed")
        plot.legend(frameon=False)

    def draw_memory(plot: Axes) -> None:
        """Draw the memory of the server."""
        plot.plot(
            [point["count"] for point in points], [point["memory_mib"] for point in points], color=_BLUE, marker="o"
        )

    rate = points[0]["first"]["asked_per_s"] if points else 0
    return draw(
        label,
        [point["count"] for point in points],
        [
            (f"most moves/s, p99 below {MAX_P99_MS:g} ms", draw_rate),
            (f"latency in ms at {rate:g} moves/s", draw_latency),
            ("memory in MiB", draw_memory),
        ],
    )


def main(*paths: str) -> None:
    """Write the document and the plots; raise OSError or ValueError if a file is not what it should be."""
    results = {result.get("kind"): result for result in (json.loads(Path(path).read_text()) for path in paths)}
    if results.keys() == {None}:
        DOCUMENT.write_text(fill_in(DOCUMENT.read_text(), build_environment_section(results[None])))
        return
    if results.keys() == {"sites"}:
        DOCUMENT.write_text(fill_in(DOCUMENT.read_text(), build_site_section(results["sites"])))
        return
    if list(results) != ["comparison", "curves"]:
        raise ValueError(
            "give the output of scripts/load and that of --curves, or that of --sites or scripts/bench envs"
        )
    comparison, curves = results.values()
    DOCUMENT.write_text(fill_in(DOCUMENT.read_text(), build_sections(comparison, curves)))
    PICTURES.joinpath("performance-tables.svg").write_text(draw_points("tables", curves["tables"], "acknowledged_ms"))
    PICTURES.joinpath("performance-watchers.svg").write_text(draw_points("watchers", curves["watchers"], "seen_ms"))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Our server next to boardgame.io's and a bare echo: moves at equal rates, side by side, and thousands of sockets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.load.clients import CreateServer, GameServer
from benchmarks.load.probe import read_probe, start_probe
from benchmarks.load.workload import (
    CLIENT_ERRORS,
    ScriptedMatch,
    Tables,
    close_matches,
    has_kept_up,
    measure_idle,
    measure_step,
    play_at_rate,
    play_whole_game,
    print_progress,
)

TARGET_RATE, TARGET_SOCKETS = 250.0, 5000


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Each rate is tried for `rounds` times `seconds`, one server after the other, until a server falls behind; then its
    highest rate is searched for by `halvings`. The bare echo is measured at `echo_rates` only. Sockets are observed for
    `idle_seconds` after they were idle for `quiet_seconds`: our server sends fewer heartbeats after half a minute. Then
    moves are played at TARGET_RATE for `socket_seconds`, because a server may collect its garbage once a minute.
    """

    tables: int = 100
    seconds: float = 3.0
    rounds: int = 3
    rates: tuple[float, ...] = (100, 200, 400, 600, 800, 1000, 1200, 1600, 2000, 2400, 3200)
    echo_rates: tuple[float, ...] = (200, 800)
    halvings: int = 2
    sockets: int = TARGET_SOCKETS
    quiet_seconds: float = 40.0
    idle_seconds: float = 16.0
    socket_seconds: float = 75.0


QUICK = Plan(
    tables=20,
    seconds=1.0,
    rounds=1,
    rates=(50, 100),
    echo_rates=(50,),
    halvings=0,
    sockets=100,
    quiet_seconds=1.0,
    idle_seconds=4.0,
    socket_seconds=2.0,
)
ECHO = "echo"


async def compare_rates(servers: Mapping[str, CreateServer], plan: Plan) -> dict[str, dict[str, Any]]:
    """Measure servers, by a short name, side by side; return for each its "name", "steps" and "highest".

    The steps are the results of `measure_step`, "highest" is that of the highest rate with which the server kept up, or
    None. Raise RuntimeError if a server does not start or scores a game wrongly.
    """
    running: dict[str, GameServer] = {}
    result: dict[str, dict[str, Any]] = {}
    try:
        for name, create in servers.items():
            running[name] = server = create()
            await server.start()
            result[name] = {"name": server.name, "steps": []}
            if name != ECHO:
                await check_scores(server)
        places = {name: Tables(server, plan.tables) for name, server in running.items()}
        trying = set(servers)
        for rate in plan.rates:
            for name in [name for name in servers if name in trying]:
                if name == ECHO and rate not in plan.echo_rates:
                    continue
                step = await measure_step(places[name], rate, plan.seconds, plan.rounds)
                result[name]["steps"].append(step)
                if not has_kept_up(step):
                    trying.remove(name)
        for name in servers:
            if name != ECHO:
                await halve(result[name]["steps"], places[name], plan)
            kept_up = [step for step in result[name]["steps"] if has_kept_up(step)]
            result[name]["highest"] = max(kept_up, key=lambda step: step["asked_per_s"], default=None)
            result[name]["client_was_limit"] = any(step.get("client_is_limit") for step in result[name]["steps"])
            await places[name].close()
    finally:
        for server in running.values():
            await server.stop()
    return result


async def check_scores(server: GameServer) -> None:
    """Play two games; raise RuntimeError if the server scores one wrongly."""
    for seed in range(2):
        scores, correct = await play_whole_game(server, seed)
        if scores != correct:
            raise RuntimeError(f"{server.name} reports the scores {scores} instead of {correct}")


async def halve(steps: list[dict[str, Any]], tables: Tables, plan: Plan) -> None:
    """Append steps between the highest rate with which the server kept up and the rate with which it did not.

    Do nothing if it always did, or if it failed, since it may have died.
    """
    if has_kept_up(steps[-1]) or "failed" in steps[-1]:
        return
    high = steps[-1]["asked_per_s"]
    low = max((step["asked_per_s"] for step in steps if has_kept_up(step)), default=0.0)
    for _ in range(plan.halvings):
        middle = (low + high) / 2
        steps.append(await measure_step(tables, middle, plan.seconds, plan.rounds))
        if has_kept_up(steps[-1]):
            low = middle
        else:
            high = middle


async def measure_sockets(create_server: CreateServer, plan: Plan) -> dict[str, Any]:
    """Open sockets on a fresh server, observe them, and play; return what `measure_idle` does, and more.

    "while_played" is the result of `play_at_rate`, "pauses_ms" that of the probe meanwhile. If clients fail, return the
    error as "failed".
    """
    server = create_server()
    print_progress(f"{server.name}: {plan.sockets} sockets")
    await server.start()
    matches: Sequence[ScriptedMatch] = []
    try:
        # The first game warms the server up, so that its memory before the sockets is comparable.
        await play_whole_game(server, 1)
        cost, matches = await measure_idle(server, plan.sockets, plan.quiet_seconds, plan.idle_seconds)
        print_progress(f"  {cost}")
        process = await start_probe(server.port, matches[0].players[0], plan.socket_seconds)
        cost["while_played"] = await play_at_rate(server, matches, TARGET_RATE, plan.socket_seconds)
        cost["pauses_ms"] = await read_probe(process)
        print_progress(f"  {cost['while_played']}\n  pauses: {cost['pauses_ms']}")
    except CLIENT_ERRORS as error:
        return {"name": server.name, "sockets": plan.sockets, "failed": str(error) or type(error).__name__}
    else:
        return {"name": server.name, **cost}
    finally:
        await close_matches(matches)
        await server.stop()

"""An estimate on paper: how many sockets the parts of a large installation carry, from measured costs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.load.targets import OURS, Rows

GOAL = 1_000_000


@dataclass(frozen=True)
class Assumptions:
    """What is assumed, not measured; each is named in the document.

    A table has two players and, every tenth, a spectator; someone moves every `seconds_per_move`. Cores are used up to
    `utilisation`. The limits of PostgreSQL are those of one large machine with fast disks, that of Redis is its one
    thread. A balancer needs `balancer_kib` for each socket, for both of its sides.
    """

    sockets_per_table: float = 2.1
    seconds_per_move: float = 10.0
    utilisation: float = 0.6
    connections_per_process: int = 10
    max_connections: int = 1000
    postgresql_cores: int = 32
    wal_mb_per_s: float = 200.0
    redis_cores: int = 1
    balancer_kib: float = 32.0
    balancer_gib: float = 64.0
    network_gbit_per_s: float = 10.0
    packet_header_bytes: float = 54.0
    packets_per_move: float = 6.0


ASSUMPTIONS = Assumptions()


@dataclass(frozen=True)
class Costs:
    """What was measured; times in seconds."""

    kib_per_socket: float
    process_mib: float
    cpu_per_move: float
    other_cpu_per_move: float
    postgresql_cpu_per_move: float
    redis_cpu_per_delivery: float
    transactions_per_move: float
    wal_bytes_per_move: float
    redis_messages_per_move: float
    bytes_per_move: float
    idle_bytes_per_socket: float
    beats_per_socket: float
    cpu_per_beat: float


def read_costs(comparison: Mapping[str, Any], curves: Mapping[str, Any]) -> Costs:
    """Take the costs from the figures of `scripts/load` and `scripts/load --curves`; raise KeyError if one is missing.

    Redis delivered each message to two servers, so half of its time for a message counts as that of a delivery. The
    processor time of a move is that with PostgreSQL and Redis.
    """
    sockets, moves = comparison["sockets"][OURS], curves["costs"]
    return Costs(
        kib_per_socket=sockets["kib_per_socket"],
        process_mib=sockets["memory_before_kib"] / 1024,
        cpu_per_move=moves["server_cpu_ms"] / 1000,
        other_cpu_per_move=moves["other_server_cpu_ms"] / 1000,
        postgresql_cpu_per_move=moves["postgresql_cpu_ms"] / 1000,
        redis_cpu_per_delivery=moves["redis_cpu_ms"] / 1000 / 2,
        transactions_per_move=moves["transactions"],
        wal_bytes_per_move=moves["wal_bytes"],
        redis_messages_per_move=moves["redis_messages"],
        bytes_per_move=moves["client_bytes"],
        idle_bytes_per_socket=sockets["idle_bytes_per_socket_and_s"],
        beats_per_socket=sockets["beats_per_socket_and_s"],
        cpu_per_beat=sockets["cpu_us_per_beat"] / 1e6,
    )


@dataclass(frozen=True)
class Load:
    """What a number of sockets asks for."""

    sockets: float
    moves: float
    processes: float


def compute_load(sockets: float, costs: Costs, assumed: Assumptions = ASSUMPTIONS, *, hears_all: bool = True) -> Load:
    """Return the moves per second of some sockets, and the processes that they need at the assumed utilisation.

    If `hears_all`, each process reads a message about each move; the number of processes is infinite once that alone is
    too much for a process.
    """
    moves = sockets / assumed.sockets_per_table / assumed.seconds_per_move
    own = moves * costs.cpu_per_move + sockets * costs.beats_per_socket * costs.cpu_per_beat
    left = assumed.utilisation - (moves * costs.other_cpu_per_move if hears_all else 0.0)
    return Load(sockets, moves, own / left if left > 0 else float("inf"))


def find_limit(uses: Callable[[Load], float], costs: Costs, *, hears_all: bool = True) -> float:
    """Return with how many sockets a part is used to its limit: where `uses`, a growing share of it, reaches 1."""
    low, high = 0.0, 1e12
    for _ in range(100):
        middle = (low + high) / 2
        if uses(compute_load(middle, costs, hears_all=hears_all)) < 1:
            low = middle
        else:
            high = middle
    return low


def _list_parts(costs: Costs, assumed: Assumptions) -> list[tuple[str, Callable[[Load], float], str]]:
    """List the parts with the share of each that a load uses, and what is done at its limit."""
    return [
        (
            f"{assumed.max_connections:,} connections to PostgreSQL, {assumed.connections_per_process} a process",
            lambda load: load.processes * assumed.connections_per_process / assumed.max_connections,
            "a connection pooler in front of it (PgBouncer), or fewer connections for each process",
        ),
        (
            "a process hears of each move at any table, through Redis",
            lambda load: load.moves * costs.other_cpu_per_move / assumed.utilisation,
            "a channel for each table or group of tables, of which a process listens to those that it has open",
        ),
        (
            "deliveries of Redis, one core",
            lambda load: (
                load.moves
                * costs.redis_messages_per_move
                * load.processes
                * costs.redis_cpu_per_delivery
                / assumed.redis_cores
            ),
            "the balancer sends all sockets of a table to one process, and processes listen to their own tables only",
        ),
        (
            f"processor of PostgreSQL, {assumed.postgresql_cores} cores",
            lambda load: load.moves * costs.postgresql_cpu_per_move / assumed.postgresql_cores / assumed.utilisation,
            "several databases, each with a part of all tables: a move is a transaction about one table",
        ),
        (
            f"write-ahead log of PostgreSQL, {assumed.wal_mb_per_s:g} MB/s",
            lambda load: load.moves * costs.wal_bytes_per_move / 1e6 / assumed.wal_mb_per_s,
            "several databases, each with a part of all tables",
        ),
        (
            f"memory of a load balancer, {assumed.balancer_kib:g} KiB for each socket, {assumed.balancer_gib:g} GiB",
            lambda load: load.sockets * assumed.balancer_kib / 2**20 / assumed.balancer_gib,
            "several balancers, by DNS",
        ),
        (
            f"network of a load balancer, {assumed.network_gbit_per_s:g} Gbit/s",
            lambda load: compute_bytes(load, costs, assumed) * 8 / 1e9 / assumed.network_gbit_per_s,
            "several balancers, by DNS",
        ),
    ]


def compute_bytes(load: Load, costs: Costs, assumed: Assumptions = ASSUMPTIONS) -> float:
    """Return the bytes per second to and from all sockets, with headers: a beat and its answer are two packets."""
    each = costs.bytes_per_move + assumed.packets_per_move * assumed.packet_header_bytes
    idle = costs.idle_bytes_per_socket + 2 * costs.beats_per_socket * assumed.packet_header_bytes
    return load.moves * each + load.sockets * idle


LIMIT_HEADER = ["part", "reached with", "then"]
CALCULATION_HEADER = ["quantity", "calculation", "result"]


def build_limit_rows(costs: Costs, assumed: Assumptions = ASSUMPTIONS) -> Rows:
    """Return the parts by the number of sockets at which each is used up, the first one first, under LIMIT_HEADER."""
    parts = [(find_limit(uses, costs), name, remedy) for name, uses, remedy in _list_parts(costs, assumed)]
    return [[name, f"{_round(sockets):,.0f} sockets", remedy] for sockets, name, remedy in sorted(parts)]


def build_calculation_rows(costs: Costs, assumed: Assumptions = ASSUMPTIONS) -> Rows:
    """Return what GOAL sockets need, if processes hear only about local tables, under CALCULATION_HEADER."""
    load = compute_load(GOAL, costs, hears_all=False)
    memory = GOAL * costs.kib_per_socket / 2**20 + load.processes * costs.process_mib / 1024
    each = f"{1000 * costs.cpu_per_move:.2f} ms"
    beats = GOAL * costs.beats_per_socket
    database = load.moves * costs.postgresql_cpu_per_move
    rows = [
        ("tables", f"{GOAL:,} / {assumed.sockets_per_table:g}", f"{GOAL / assumed.sockets_per_table:,.0f}"),
        ("moves", f"one in {assumed.seconds_per_move:g} s at each table", f"{load.moves:,.0f} moves/s"),
        ("cores for moves", f"{load.moves:,.0f} × {each}", f"{load.moves * costs.cpu_per_move:,.1f}"),
        ("beats", f"{GOAL:,} × {costs.beats_per_socket:g}/s", f"{beats:,.0f}/s"),
        ("cores for beats", f"{beats:,.0f} × {1e6 * costs.cpu_per_beat:.1f} µs", f"{beats * costs.cpu_per_beat:,.1f}"),
        ("processes, one for each core", f"both / {assumed.utilisation:.0%}", f"{load.processes:,.0f}"),
        ("sockets for each process", f"{GOAL:,} / {load.processes:,.0f}", f"{GOAL / load.processes:,.0f}"),
        (
            "memory of all processes",
            f"{GOAL:,} × {costs.kib_per_socket:g} KiB + {load.processes:,.0f} × {costs.process_mib:,.0f} MiB",
            f"{memory:,.0f} GiB",
        ),
        (
            "transactions of PostgreSQL",
            f"{load.moves:,.0f} × {costs.transactions_per_move:.2f}",
            f"{load.moves * costs.transactions_per_move:,.0f}/s",
        ),
        (
            "cores of PostgreSQL",
            f"{load.moves:,.0f} × {1000 * costs.postgresql_cpu_per_move:.2f} ms / {assumed.utilisation:.0%}",
            f"{database / assumed.utilisation:,.0f}",
        ),
        (
            "write-ahead log",
            f"{load.moves:,.0f} × {costs.wal_bytes_per_move:,.0f} bytes",
            f"{load.moves * costs.wal_bytes_per_move / 1e6:,.0f} MB/s",
        ),
        (
            "messages to Redis",
            f"{load.moves:,.0f} × {costs.redis_messages_per_move:.2f}",
            f"{load.moves * costs.redis_messages_per_move:,.0f}/s",
        ),
        (
            "network",
            f"moves × {costs.bytes_per_move:,.0f} bytes, sockets × {costs.idle_bytes_per_socket:g} bytes/s, headers",
            f"{compute_bytes(load, costs, assumed) * 8 / 1e9:,.2f} Gbit/s",
        ),
    ]
    return [list(row) for row in rows]


def _round(number: float) -> float:
    """Round to two digits, since the estimate is no better."""
    return float(f"{number:.2g}")

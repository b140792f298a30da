"""Processor time and memory of a process with all its descendants, and the machine, from /proc; Linux only."""

import os
import platform
import shutil
from pathlib import Path
from typing import Any

SERVER_CORE, CLIENT_CORE = 0, 1
_TICKS = os.sysconf("SC_CLK_TCK")


def pin_client() -> list[str]:
    """Pin this process to CLIENT_CORE for good; return the words before a command that pin a server to SERVER_CORE.

    Without `taskset` or with a single core, do nothing and return none.
    """
    if not shutil.which("taskset") or (os.cpu_count() or 1) < 2:
        return []
    os.sched_setaffinity(0, {CLIENT_CORE})
    return ["taskset", "-c", str(SERVER_CORE)]


def list_tree(pid: int) -> list[int]:
    """List a process and its descendants; those that end meanwhile may be missing."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _read_stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    tree = [pid]
    for parent in tree:
        tree.extend(children.get(parent, []))
    return tree


def _read_stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


def read_cpu_seconds(pid: int) -> float:
    """Return the processor time that a process and its descendants have used, those included that it has waited for."""
    ticks = 0
    for member in list_tree(pid):
        if fields := _read_stat(member):
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / _TICKS


def read_memory_kib(pid: int) -> int:
    """Return the memory of a process and its descendants in KiB; pages that they share count once (PSS)."""
    total = 0
    for member in list_tree(pid):
        try:
            lines = Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return total


def read_machine_cpu_seconds() -> float:
    """Return the processor time that all processes of the machine have used; what a host took away is included."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / _TICKS


def find_processor() -> str:
    """Return the model of the processor, or else its architecture."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def describe_machine() -> dict[str, Any]:
    """Return what the figures depend on, by name: processor, cores, memory, system, version of Python, load."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": find_processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load_average": round(os.getloadavg()[0], 2),
    }

"""The example bot as a module."""

import importlib.util
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[2] / "examples" / "bot.py"


def load_example_bot() -> Any:
    """Import `examples/bot.py`, which belongs to no package, and return the new module."""
    spec = importlib.util.spec_from_file_location("bot", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

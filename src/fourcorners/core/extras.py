"""The extras of this distribution: their modules, and the message for a missing extra."""

import sysconfig
from collections.abc import Mapping
from importlib.util import find_spec

from fourcorners.core.errors import GameError

_PICTURES = ("PIL", "jinja2", "markupsafe", "resvg_py", "typst")
_OPENSPIEL = () if sysconfig.get_platform() == "win-arm64" else ("pyspiel",)
MODULES: Mapping[str, tuple[str, ...]] = {
    "pictures": _PICTURES,
    "server": (
        *_PICTURES,
        *("alembic", "argon2", "cachetools", "cryptography", "h11", "http_ece", "limits", "markdown_it", "msgspec"),
        *("openskill", "prometheus_client", "py_vapid", "python_multipart", "pywebpush", "requests", "segno"),
        *("sqlalchemy", "starlette", "structlog", "uvicorn", "webauthn", "websockets"),
    ),
    "postgresql": ("psycopg",),
    "redis": ("redis",),
    "ray": ("ray",),
    "plot": ("matplotlib",),
    "data": ("pyarrow",),
    "envs": ("gymnasium", "pettingzoo", *_OPENSPIEL),
}
"""The modules that are imported from the packages of each extra; OpenSpiel has no wheels for Windows on ARM."""


class MissingExtraError(GameError):
    """An extra is needed but not installed; the message says how to install it."""

    def __init__(self, extra: str, message: str) -> None:
        super().__init__(message, "extra")
        self.extra = extra


def require(extra: str, clause: str) -> None:
    """Raise MissingExtraError unless all modules of an extra are installed; `clause` begins its sentence: "--plot
    needs".
    """
    if any(find_spec(module) is None for module in MODULES[extra]):
        raise MissingExtraError(extra, f'{clause} the extra "{extra}": pip install "fourcorners[{extra}]"')

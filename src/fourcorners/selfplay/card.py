"""The data card of a run: a README, and the same for programs as Croissant 1.0 of MLCommons."""

import shlex
from collections.abc import Mapping
from typing import Any

from fourcorners.core.option_fields import format_value
from fourcorners.selfplay.configuration import Configuration
from fourcorners.selfplay.tables import TABLES

LICENCE = "https://creativecommons.org/publicdomain/zero/1.0/"
_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet"),
            *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
            *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
            *("transform",),
        )
    },
}
_DATA_TYPES = {"string": "sc:Text", "bool": "sc:Boolean", "float": "sc:Float", "double": "sc:Float"}
"""The data types of Croissant by those of Arrow; all others are integers."""
_HIDDEN = """
## Hidden information

The texts in `positions.parquet` have all hands and the whole pile, and its labels follow from these. A program that
must not know them learns from `views.parquet`: a row there has what the seat to move may know and nothing else. The
moves and seeds in `games.parquet` betray hands, so join no more than the rewards.
"""


def build_croissant(configuration: Configuration, files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the description of the tables among `files`, whose values have `bytes` and `sha256`, as JSON-LD."""
    tables = [table for table in TABLES if f"{table}.parquet" in files]
    dated = {"datePublished": configuration.date} if configuration.date else {}
    return {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "name": f"fourcorners-{configuration.game}-selfplay",
        "description": describe_run(configuration),
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": LICENCE,
        "url": "README.md",
        "version": "1.0.0",
        "creator": {"@type": "sc:Organization", "name": "Fourcorners"},
        **dated,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": f"{table}.parquet",
                "name": f"{table}.parquet",
                "contentUrl": f"{table}.parquet",
                "contentSize": f"{files[f'{table}.parquet']['bytes']} B",
                "encodingFormat": "application/x-parquet",
                "sha256": files[f"{table}.parquet"]["sha256"],
            }
            for table in tables
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table,
                "name": table,
                "field": [_describe_field(table, name, str(kind), meaning) for name, kind, meaning in TABLES[table]],
            }
            for table in tables
        ],
    }


def _describe_field(table: str, name: str, kind: str, meaning: str) -> dict[str, Any]:
    """Return the description of a column; `kind` is the name of its type."""
    item = kind.removeprefix("list<").rpartition(": ")[2].removesuffix(">")
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{name}",
        "name": name,
        "description": meaning,
        "dataType": _DATA_TYPES.get(item, "sc:Integer"),
        **({"repeated": True} if kind.startswith("list<") else {}),
        "source": {"fileObject": {"@id": f"{table}.parquet"}, "extract": {"column": name}},
    }


def describe_run(configuration: Configuration) -> str:
    """Return a sentence about the games."""
    game = configuration.make_game()
    limit = "" if configuration.nodes is None else f" with {configuration.nodes} simulations for each move"
    return (
        f"{configuration.games} games of {game.title}, played by the computer players "
        f"{', '.join(configuration.players)} of Fourcorners{limit}."
    )


def format_command(configuration: Configuration) -> str:
    """Return the command that makes the same files, but for its folder and jobs."""
    words = ["fourcorners", "selfplay", configuration.game]
    for name, value in configuration.options.items():
        words += ["-o", f"{name}={format_value(value)}"]
    for player in configuration.players:
        words += ["--player", player]
    words += [] if configuration.nodes is None else ["--nodes", str(configuration.nodes)]
    if configuration.label_nodes is not None:
        words += ["--label", "--label-nodes", str(configuration.label_nodes)]
    words += ["--games", str(configuration.games), "--plies", str(configuration.plies)]
    words += ["--seed", str(configuration.seed)]
    words += ["--date", configuration.date] if configuration.date else []
    return shlex.join(words)


def build_readme(
    configuration: Configuration, versions: Mapping[str, str], counts: Mapping[str, Mapping[str, int]]
) -> str:
    """Return the data card as Markdown; `counts` has the rows of each table by split."""
    game = configuration.make_game()
    parts = [
        "---\nlicense: cc0-1.0\nconfigs:\n",
        *(f"- config_name: {table}\n  data_files: {table}.parquet\n" for table in counts),
        f"---\n\n# Self-play: {game.title}\n\n{describe_run(configuration)}\n\n",
        "This command makes the same files, byte for byte, with the versions ",
        f"{', '.join(f'{name} {version}' for name, version in versions.items())}:\n\n",
        f"    {format_command(configuration)} --out FOLDER\n\n",
        f"Each game begins with {configuration.plies} random moves, and seat s of game i has player (s + i) modulo ",
        "their number. `manifest.json` has the SHA-256 hash of each file.\n\n## Splits\n\n",
        "| table | train | validation | test | none |\n|---|---:|---:|---:|---:|\n",
    ]
    for table, splits in counts.items():
        numbers = (f"{splits.get(name, 0)}" for name in ("train", "validation", "test", "none"))
        parts.append(f"| `{table}.parquet` | {' | '.join(numbers)} |\n")
    parts.append(
        "\nGames are split, 80% to 10% to 10%. A position of a test game that is equivalent, under the symmetries of "
        "the game, to one of a training or validation game has the split `none`, and so has one of a validation game "
        "that is equivalent to one of a training game: leave these out of evaluations.\n"
    )
    for table in counts:
        parts.append(f"\n## {table}.parquet\n\n| column | type | meaning |\n|---|---|---|\n")
        parts += [f"| `{name}` | {_name_kind(str(kind))} | {meaning} |\n" for name, kind, meaning in TABLES[table]]
    parts.append(_HIDDEN if game.spec.hidden else "")
    return "".join(parts)


def _name_kind(kind: str) -> str:
    """Return the name of a column's type for readers."""
    return f"list of {kind.rpartition(': ')[2].removesuffix('>')}" if kind.startswith("list<") else kind

"""Bundle the scripts, style sheets and fonts of the pages with esbuild: few files, which browsers keep for good.

`--check` only compares the bundles with what would be written. Needs the tools that npm installs.
"""

import filecmp
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fourcorners.web.pages.assets import BUNDLES, digest_sources

ROOT = Path(__file__).parents[1]
WEB = ROOT / "src/fourcorners/web"
STATIC = WEB / "static"
ESBUILD = (
    ROOT / "node_modules/.bin/esbuild",
    "--bundle",
    "--minify",
    "--format=esm",
    "--target=es2022",
    "--log-level=warning",
    "--entry-names=[name]-[hash]",
    "--asset-names=[name]-[hash]",
    "--loader:.woff2=file",
    "--loader:.svg=file",
)


def list_entries() -> list[str]:
    """List the scripts and style sheets that templates name."""
    texts = [path.read_text(encoding="utf-8") for path in (WEB / "templates").glob("*.html")]
    named = {name for text in texts for name in re.findall(r'"([\w/]+\.(?:js|css))"', text)}
    return sorted(name for name in named if (STATIC / name).exists())


def build(folder: Path) -> None:
    """Write the bundles, and `manifest.json` with the digest of the sources and the bundle of each, into a folder."""
    # Paths are relative to the folder of the sources, so that the digests are the same in every checkout.
    with tempfile.TemporaryDirectory() as temporary:
        metafile = Path(temporary) / "meta.json"
        subprocess.run(  # noqa: S603  # nothing in it is input
            [*ESBUILD, *list_entries(), f"--outdir={folder}", f"--metafile={metafile}"], cwd=STATIC, check=True
        )
        outputs = json.loads(metafile.read_text(encoding="utf-8"))["outputs"]
    bundles = {}
    for path, output in outputs.items():
        # A font is no entry.
        source = output.get("entryPoint") or next(iter(output["inputs"]))
        bundles[source] = Path(path).name
    manifest = {"sources": digest_sources(STATIC), "bundles": dict(sorted(bundles.items()))}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Write or check the bundles."""
    target = STATIC / BUNDLES
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        build(made)
        compared = filecmp.dircmp(made, target) if target.exists() else None
        is_current = compared is not None and not (compared.left_only or compared.right_only or compared.diff_files)
        if "--check" in sys.argv[1:]:
            if not is_current:
                sys.exit(f"{target.relative_to(ROOT)} is not what scripts/build_bundles.py makes: run it.")
        elif not is_current:
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(made, target)


if __name__ == "__main__":
    main()

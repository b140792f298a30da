"""What the installing script imports, so that the first start of a server finds it byte-compiled."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
START = """
import sys, tempfile
from pathlib import Path
from fourcorners.web.serve import make_server
from fourcorners.web.settings import Settings
before = set(sys.modules)
with tempfile.TemporaryDirectory() as folder:
    server = make_server(Settings(Path(folder)))
    server.app.state.context.store.close()
print([name for name in sorted(set(sys.modules) - before) if not name.startswith("encodings.")])
"""


def test_server_that_starts_imports_nothing_that_installing_has_not_imported() -> None:
    library = (ROOT / "scripts" / "lib.sh").read_text()
    imports = library.partition("first_imports='")[2].partition("'")[0]
    assert "fourcorners.games()" in imports
    result = subprocess.run([sys.executable, "-c", imports + START], check=True, capture_output=True, text=True)
    assert result.stdout == "[]\n"

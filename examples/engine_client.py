"""Ask `fourcorners engine` about each position of a game: engine_client.py dots-and-boxes cols=2 rows=2 a1b1 a2b2."""

import json
import subprocess
import sys
from typing import Any, Self


class Engine:
    """A running engine; use it in a with statement, which ends it."""

    def __init__(self, *command: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)  # noqa: S603  # the user's own
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()  # the end of its input lets it exit

    def ask(self, turns: list[int], **query: Any) -> dict[int, dict[str, Any]]:
        """Return the answer for each turn of a game; exit with the engine's sentence about a wrong query."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.count += 1
        print(json.dumps({"id": str(self.count), "analyzeTurns": turns, **query}), file=self.process.stdin, flush=True)
        answers: dict[int, dict[str, Any]] = {}
        while len(answers) < len(turns):
            answer = json.loads(self.process.stdout.readline())
            if "error" in answer:
                sys.exit(answer["error"])
            if answer["id"] == str(self.count) and not answer["isDuringSearch"]:
                answers[answer["turnNumber"]] = answer
        return answers


if __name__ == "__main__":
    game, pairs = sys.argv[1], [text.split("=") for text in sys.argv[2:] if "=" in text]
    moves = [text for text in sys.argv[2:] if "=" not in text]
    with Engine(sys.executable, "-m", "fourcorners", "engine") as engine:
        options = {name: json.loads(value) for name, value in pairs}
        turns = list(range(len(moves) + 1))
        for turn, answer in sorted(engine.ask(turns, game=game, options=options, moves=moves, maxVisits=1000).items()):
            best, root = answer["moveInfos"][0], answer["rootInfo"]
            value = root["lower"] if root["exact"] else f"about {root['scoreLead']:.1f}"
            print(f"{turn}. seat {root['currentPlayer']}: {best['move']} {best['why']}; margin {value}")

"""Pictures of Cram: a grid of cells, the taken ones filled."""

from fourcorners.core.contract import ViewLike
from fourcorners.core.scene import Element, Part, Scene, Style
from fourcorners_cram.notation import format_cell

_CELL = 40  # the side of a cell
STYLE = Style(
    css=".fc-board .cr rect{fill:var(--free);stroke:var(--line)}.fc-board .cr.taken rect{fill:var(--line)}",
    defs="",
    themes={
        "light": {"free": "#fff", "line": "#333"},
        "dark": {"free": "#444", "line": "#ccc"},
        "print": {"free": "#fff", "line": "#000"},
    },
)


def draw_scene(view: ViewLike) -> Scene:
    """Draw the board as a scene without a tray, one element for each cell; its token, the name, is picked to move."""
    s = view.record
    free, cols, rows = int(s.free), int(s.cram_cols), int(s.rows)
    elements = []
    for y in range(rows):
        for x in range(cols):
            name, is_free = format_cell(8 * y + x), bool(free >> (8 * y + x) & 1)
            # The y axis of a picture points down.
            left, top = _CELL * x, _CELL * (rows - 1 - y)
            markup = f'<rect x="{left}" y="{top}" width="{_CELL}" height="{_CELL}"/>'
            label = f"cell {name}, {'free' if is_free else 'taken'}"
            elements.append(Element(f"cr-{name}", markup, "cr" if is_free else "cr taken", name, label, "pick"))
    return Scene(Part((0, 0, _CELL * cols, _CELL * rows), tuple(elements), f"Cram board, {cols} by {rows} cells"))


def draw_text(view: ViewLike) -> str:
    """Draw the rows as text, the top one first: `.` for a free cell, `x` for a taken one."""
    return "\n".join(view.text.split(" ")[0].split("/"))


def list_facts(view: ViewLike) -> tuple[tuple[int | None, str, str], ...]:
    """List the only fact, the number of free cells, as seat, name and value; the seat None stands for the table."""
    return ((None, "free cells", str(int(view.record.free).bit_count())),)

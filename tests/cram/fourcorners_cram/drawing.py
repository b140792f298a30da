"""Pictures of Cram."""

from fourcorners.core.position import View
from fourcorners.core.scene import Element, Part, Scene, Style
from fourcorners_cram.notation import cell

STYLE = Style(
    css=".fc-board .cr rect{fill:var(--free);stroke:var(--line)}.fc-board .cr.taken rect{fill:var(--line)}",
    defs="",
    themes={
        "light": {"free": "#fff", "line": "#333"},
        "dark": {"free": "#444", "line": "#ccc"},
        "print": {"free": "#fff", "line": "#000"},
    },
)


def draw_scene(view: View) -> Scene:
    """Draw the cells."""
    s = view.record
    free, cols, rows = int(s.free), int(s.cram_cols), int(s.rows)
    elements = []
    for y in range(rows):
        for x in range(cols):
            name, is_free = cell(8 * y + x), bool(free >> (8 * y + x) & 1)
            markup = f'<rect x="{40 * x}" y="{40 * (rows - 1 - y)}" width="40" height="40"/>'
            label = f"cell {name}, {'free' if is_free else 'taken'}"
            elements.append(Element(f"cr-{name}", markup, "cr" if is_free else "cr taken", name, label, "pick"))
    return Scene(Part((0, 0, 40 * cols, 40 * rows), tuple(elements), "Cram"))


def draw_text(view: View) -> str:
    """Draw the rows."""
    return "\n".join(view.text.split(" ")[0].split("/"))


def list_facts(view: View) -> tuple[tuple[int | None, str, str], ...]:
    """Show how many cells are free."""
    return ((None, "free cells", str(int(view.record.free).bit_count())),)

"""Pictures and animations: their sizes, what is marked on them, and that a job can be limited and ended."""

import io
import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.core.scene import Element
from fourcorners.study import rendering, stills
from fourcorners.study.cards import HEIGHT, WIDTH, render_card
from fourcorners.study.geometry import Box, measure_element
from fourcorners.study.rendering import RenderingError
from fourcorners.study.stills import (
    Animation,
    Colours,
    choose_plies,
    draw_frames,
    draw_still,
    render_game,
    render_still,
)
from tests.require import require
from tests.waiting import wait_until

SMALL = fc.game("square-off", size=4)
PLAYED = [SMALL.start()]
for move in ("a1", "b2", "c3", "d4"):
    PLAYED.append(PLAYED[-1].play(move))
VIEW = PLAYED[-1].view()


def read_image(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def test_png_has_the_width_and_the_colour_of_the_theme_around_the_board() -> None:
    light, dark = (read_image(render_still(VIEW, "png", Colours(theme), width=120)) for theme in ("light", "dark"))
    assert light.format == "PNG" and light.size == dark.size == (120, 120)
    corners = [image.convert("RGB").getpixel((0, 0)) for image in (light, dark)]
    assert corners == [(0xF8, 0xF4, 0xEA), (0x14, 0x19, 0x1D)]


@pytest.mark.parametrize("kind", rendering.ANIMATIONS)
def test_animation_has_a_frame_for_each_ply_and_the_end_stays_longer(kind: str) -> None:
    image = read_image(render_game([position.view() for position in PLAYED], Animation(kind, 96, 500)))
    frames = getattr(image, "n_frames", 1)
    assert (image.format, frames, image.size) == (kind.upper(), 5, (96, 96))
    durations = []
    for number in range(frames):
        image.seek(number)
        image.load()
        durations.append(image.info["duration"])
    assert durations == [500, 500, 500, 500, 3000]


def test_long_games_are_thinned_out_evenly_with_their_start_and_end() -> None:
    assert choose_plies(4, 10) == [0, 1, 2, 3, 4]
    assert choose_plies(100, 5) == [0, 25, 50, 75, 100]


def test_frames_of_a_board_that_grows_have_one_size() -> None:
    position = fc.game("squendo").start(seed=3)
    positions = [position]
    for _ in range(12):
        positions.append(positions[-1].play(positions[-1].moves()[-1]))
    frames = draw_frames([position.view() for position in positions])
    boxes = {re.search(r'viewBox="([^"]*)"', frame)[1] for frame in frames}  # type: ignore[index]
    sizes = [position.view().scene().board.box for position in positions]
    assert len(boxes) == 1 and len(set(sizes)) > 1


def test_marks_are_drawn_on_their_places_and_unknown_places_are_left_out() -> None:
    marks = (fc.Mark("circle", ("a1",)), fc.Mark("arrow", ("a1", "d4")), fc.Mark("cross", ("z9",)), fc.Mark("best"))
    drawn = draw_still(VIEW, marks=marks)
    assert [name for name in ("mark-0", "mark-1", "mark-2", "mark-3") if f'id="{name}"' in drawn] == [
        "mark-0",
        "mark-1",
    ]
    place = next(element for element in VIEW.scene().board.elements if element.token == "a1")
    x, y = require(measure_element(place, SMALL.spec.drawing.STYLE.defs)).centre
    assert f"M{x:.4g} {y:.4g}L" in drawn
    assert 'aria-label="arrow a1 d4"' in drawn


def test_frames_of_a_game_have_the_marks_of_their_plies() -> None:
    marks = [(), (fc.Mark("circle", ("a1",)),), (), (fc.Mark("cross", ("b2",)),), ()]
    frames = draw_frames([position.view() for position in PLAYED], marks=marks, most=3)
    assert ["mark-0" in frame for frame in frames] == [False, False, False]
    frames = draw_frames([position.view() for position in PLAYED], marks=marks)
    assert ["mark-0" in frame for frame in frames] == [False, True, False, True, False]


def test_a_mark_on_a_place_without_moves_is_found_by_its_id() -> None:
    view = fc.game("dots-and-boxes", cols=2, rows=1).start().view()
    place = next(element.id for element in view.scene().board.elements if not element.token and element.label)
    assert f'aria-label="circle {place}"' in draw_still(view, marks=[fc.Mark("circle", (place,))])


def test_every_place_of_every_board_can_be_measured_within_its_picture() -> None:
    for name in fc.games():
        board = fc.game(name).start(seed=1).view(0).scene().board
        left, top, width, height = board.box
        for element in board.elements:
            if element.token:
                box = measure_element(element, fc.game(name).spec.drawing.STYLE.defs)
                assert box is not None, (name, element.token)
                x, y = box.centre
                assert left <= x <= left + width and top <= y <= top + height, (name, element.token)


def test_geometry_follows_paths_groups_and_symbols() -> None:
    element = Element("e", '<g transform="translate(10 20)"><use href="#s" x="1" y="2"/><path d="M5 5h3v-4z"/></g>')
    assert measure_element(element, '<rect id="s" width="2" height="3"/>') == Box(11, 21, 18, 25)
    assert measure_element(Element("e", ""), "") is None


def test_grounds_that_reach_far_beyond_the_board_are_cut_and_custom_properties_dropped() -> None:
    view = fc.game("squendo").start(seed=3).view()
    assert 'width="10000"' in view.svg() and "--label" in view.svg()
    drawn = draw_still(view)
    assert 'width="10000"' not in drawn and "--label" not in drawn


def test_wrong_kinds_sizes_colours_and_numbers_of_frames_are_refused() -> None:
    frame = draw_still(VIEW)
    for call, sentence in (
        (lambda: render_still(VIEW, "bmp"), "svg or png"),
        (lambda: render_still(VIEW, "png", width=20_000), "64 to 1600"),
        (lambda: render_still(VIEW, "svg", Colours("pink")), "light or dark or print"),
        (lambda: rendering.render_animation([frame], [1], "mp4", 100, "#fff"), "gif or webp"),
        (lambda: rendering.render_animation([], [], "gif", 100, "#fff"), "1 to 400"),
        (lambda: stills.find_kind("game.bmp"), ".svg, .png, .gif, .webp"),
    ):
        with pytest.raises(OptionError, match=sentence):
            call()


def test_animations_that_would_be_too_large_become_narrower(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[dict[str, object]] = []

    def run(job: dict[str, object], *_: object) -> bytes:
        """Stand in for the process."""
        jobs.append(job)
        return b""

    monkeypatch.setattr(rendering, "_run", run)
    frame = draw_still(VIEW)
    for count in (1, 400):
        rendering.render_animation([frame] * count, [1] * count, "gif", 1600, "#fff")
    box = require(re.search(r'viewBox="[-0-9.]+ [-0-9.]+ ([0-9.]+) ([0-9.]+)"', frame))
    few, many = (int(str(job["width"])) for job in jobs)
    assert few == 1600 and 64 <= many < 1600
    assert 400 * many**2 * float(box[2]) / float(box[1]) <= rendering.MAX_PIXELS


def test_job_that_nobody_waits_for_or_that_takes_too_long_is_ended() -> None:
    class GoneError(Exception):
        pass

    def leave() -> None:
        raise GoneError

    with pytest.raises(GoneError):
        rendering.render_png(draw_still(VIEW), 100, check=leave)
    with pytest.raises(RenderingError, match="takes too long"):
        rendering.render_png(draw_still(VIEW), 1600, cpu_seconds=0)
    with pytest.raises(RenderingError, match="cannot be drawn"):
        rendering.render_png("<svg", 100)


ENDLESS = "#for row in range(100000) { for column in range(100000) {} }"
"""A document that takes hours, of Typst, which counts how often `while` repeats."""


def test_document_that_is_ended_leaves_no_files_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class GoneError(Exception):
        pass

    checks = itertools.count()

    def leave_at_last() -> None:
        if next(checks) == 30:
            raise GoneError

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(GoneError):
        rendering.render_document(ENDLESS, {"a.svg": "<svg/>"}, check=leave_at_last)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems only limit how long it goes on")
def test_process_that_draws_ends_with_the_process_that_waits_for_it() -> None:
    program = f"""
import subprocess
from fourcorners.study import rendering

class Popen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        print(self.pid, flush=True)

rendering.subprocess.Popen = Popen
rendering.render_document({ENDLESS!r}, {{}})
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        status = Path(f"/proc/{parent.stdout.readline().strip()}/stat")
        wait_until(lambda: read_processor_time(status) > 0)
        parent.kill()
    wait_until(lambda: not status.exists() or status.read_text().split()[2] == "Z")


def read_processor_time(status: Path) -> int:
    """Return the processor time of a process, in ticks of the system's clock."""
    return int(status.read_text().split()[13])


def test_the_processor_time_of_the_process_that_draws_counts_for_the_thread_that_waits() -> None:
    before = rendering.read_child_seconds()
    rendering.render_png(draw_still(VIEW), 100)
    once = rendering.read_child_seconds()
    with pytest.raises(rendering.RenderingError):
        rendering.render_png("<svg", 100)
    assert before < once < rendering.read_child_seconds()


def test_card_has_the_size_that_previews_have_and_escapes_its_words() -> None:
    assert read_image(render_card("A <b> & title", "Words & more", VIEW)).size == (WIDTH, HEIGHT)

"""Pictures and animations: their sizes, what is marked on them, and that a job can be limited and ended."""

import io
import itertools
import random
import re
import resource
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image, ImageChops, ImageFilter

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.core.scene import Element
from fourcorners.study import renderer, rendering, stills
from fourcorners.study.cards import HEIGHT, WIDTH, draw_card, render_card
from fourcorners.study.frames import Film
from fourcorners.study.geometry import Box, measure_element
from fourcorners.study.rendering import RenderingError
from fourcorners.study.stills import (
    Animation,
    Colours,
    Score,
    choose_plies,
    draw_film,
    draw_still,
    render_game,
    render_still,
)
from fourcorners.study.value_badges import Worths
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


def test_caption_stands_below_the_board_in_lines_that_end_with_an_ellipsis_if_it_is_long() -> None:
    short = draw_still(VIEW, caption="Black\n threatens <b2> & wins.")
    assert draw_still(VIEW) in short and draw_still(VIEW, caption=" ") == draw_still(VIEW)
    assert re.findall("<text [^>]*>(Black[^<]*)</text>", short) == ["Black threatens &lt;b2&gt; &amp; wins."]
    long = draw_still(VIEW, caption="a word " * 200)
    lines = re.findall(r"<text [^>]*>((?:a|word) [^<]*)</text>", long)
    assert len(lines) == 5 and lines[-1].endswith(" …") and max(map(len, lines)) <= 52
    image = read_image(rendering.render_png(long, 260, "#f8f4ea"))
    assert image.size == (260, 338)
    darkest, _ = image.crop((0, 262, 260, 338)).convert("L").getextrema()
    assert isinstance(darkest, int | float) and darkest < 100, "there are letters"


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
    film = draw_film([position.view() for position in positions], Animation("gif", 200))
    boxes = [position.view().scene().board.box for position in positions]
    assert len(set(boxes)) > 1
    assert all(
        left >= 0 and top >= 0 and left + width <= film.width == 200 and top + height <= film.height
        for frame in film.frames
        for (left, top, width, height), _ in frame
    )


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
    views = [position.view() for position in PLAYED]
    thinned = draw_film(views, Animation("gif", 96, frames=3), marks=marks)
    assert all("mark-0" not in svg for svg, _ in thinned.sheets)
    whole = compose(draw_film(views, Animation("gif", 96), marks=marks))
    for ply, frame in enumerate(whole):
        assert measure_difference(frame, render_still(views[ply], "png", marks=marks[ply], width=96)) < SLIGHT


SLIGHT = 12
"""The largest difference of a colour that comes from rounding where elements overlap."""


def compose(film: Film) -> list[Image.Image]:
    """Return the frames of a film as the renderer puts them together."""
    job = {
        **film._asdict(),
        "background": Colours().background,
        "fonts": str(Path(rendering.__file__).parent / "fonts"),
    }
    return list(renderer.compose_frames(job))


def measure_difference(frame: Image.Image, png: bytes) -> int:
    """Return the largest difference of a colour between two pictures, but for single dots."""
    difference = ImageChops.difference(frame, read_image(png).convert("RGB"))
    return max(high for _, high in difference.filter(ImageFilter.MedianFilter(3)).getextrema())  # type: ignore[misc]


@pytest.mark.parametrize("name", fc.games())
def test_frames_made_of_sprites_look_like_pictures_of_the_same_positions(name: str) -> None:
    rng = random.Random(2)
    positions = [fc.game(name).start(seed=2)]
    while not positions[-1].is_over and len(positions) < 90:
        positions.append(positions[-1].play(rng.choice(positions[-1].moves())))
    views = [position.view() for position in positions[-12:]]
    box = views[-1].scene().board.box
    frames = compose(draw_film(views, Animation("gif", 240)))
    compared = [number for number, view in enumerate(views) if view.scene().board.box == box]
    for number in (compared[0], compared[-1]):
        still = rendering.render_png(draw_still(views[number], has_tray=False), 240, Colours().background)
        assert measure_difference(frames[number], still) < SLIGHT, number


def test_an_animation_draws_each_element_once_in_each_state() -> None:
    """This makes long games quick: sixty boards would take ten seconds."""
    game = fc.game("dots-and-boxes", cols=5, rows=5)
    positions = [game.start()]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(positions[-1].moves()[0]))
    film = draw_film([position.view() for position in positions], Animation("gif", 400))
    elements = len(positions[0].view().scene().board.elements)
    assert len(film.frames) == 61
    assert len(film.sprites) < 4 * elements < len(film.frames) * elements / 10


def test_the_last_moves_are_shown_with_the_score_of_each_moment() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=1)
    positions = [game.start()]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(positions[-1].moves()[0]))
    views = [position.view() for position in positions]
    animation = Animation("webp", 300, last=3)
    image = read_image(render_game(views, animation, score=Score(["Ada", "Bo <b>"])))
    board = read_image(render_game(views, Animation("webp", 300)))
    assert getattr(image, "n_frames", 1) == 4
    assert image.width == board.width and image.height > board.height
    sheets = "".join(svg for svg, _ in draw_film(views[-4:], animation, score=Score(["Ada", "Bo <b>"])).sheets)
    assert ">Ada</text>" in sheets and "Bo &lt;b" in sheets
    points = {str(view.scores[seat]) for view in views[-4:] for seat in (0, 1)}
    assert points == set(re.findall(r'font-weight="700">([0-9]*)</text>', sheets))
    hidden = "".join(
        svg for svg, _ in draw_film(views[-4:], animation, score=Score(["Ada", "Bo"], has_points=False)).sheets
    )
    assert set(re.findall(r'font-weight="700">([0-9]*)</text>', hidden)) == {""}


def test_pictures_stay_well_formed_with_characters_that_xml_does_not_allow() -> None:
    text = "a\ufffeb\uffffc"
    card = draw_card(text, text, VIEW)
    still = draw_still(VIEW, caption=text)
    scores = [svg for svg, _ in draw_film([VIEW], Animation("webp", 600), score=Score([text, "Bo"])).sheets]
    for svg in (card, still, *scores):
        ET.fromstring(svg)
    shown = "a\ufffdb\ufffdc"
    assert card.count(f">{shown}<") == 2 and f">{shown}<" in still and any(f">{shown}<" in svg for svg in scores)


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
    film = draw_film([VIEW], Animation("gif", 96))
    for call, sentence in (
        (lambda: render_still(VIEW, "bmp"), "svg or png"),
        (lambda: render_still(VIEW, "png", width=20_000), "64 to 1600"),
        (lambda: render_still(VIEW, "svg", Colours("pink")), "light or dark or print"),
        (lambda: rendering.render_animation(film, [1], "mp4", "#fff"), "gif or webp"),
        (lambda: rendering.render_animation(film._replace(frames=[]), [], "gif", "#fff"), "1 to 400"),
        (lambda: draw_film([VIEW], Animation("gif", 20_000)), "64 to 1600"),
        (lambda: stills.find_kind("game.bmp"), ".svg, .png, .gif, .webp"),
    ):
        with pytest.raises(OptionError, match=sentence):
            call()


def test_animations_that_would_be_too_large_become_narrower() -> None:
    assert rendering.fit_animation(1600, 0.5, 1) == (1600, 800)
    width, height = rendering.fit_animation(1600, 0.5, 400)
    assert 64 <= width < 1600 and 400 * width * height <= rendering.MAX_PIXELS


def test_job_without_a_waiting_parent_or_that_takes_too_long_is_ended() -> None:
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


def test_values_stand_where_their_moves_are_made() -> None:
    view = fc.game("dots-and-boxes", cols=2, rows=1).start().view(0)
    drawn = draw_still(view, worths=Worths([("a1b1", 2), ("b1c1", 0), ("a1a2", -3)]))
    assert [text for text in ("+2", "0", "−3") if f">{text}</text>" in drawn] == ["+2", "0", "−3"]
    assert drawn.count('id="value-') == 3
    # A rectangle is chosen by any of its corners.
    corners = draw_still(fc.game("sqez", cols=5, rows=5).start().view(0), worths=Worths([("a1 c3", 1)], "win"))
    assert sorted(re.findall('id="value-[^"]*([a-e][1-5])"', corners)) == ["a1", "a3", "c1", "c3"]
    assert corners.count(">W</text>") == 4


@pytest.mark.parametrize(("system", "limits_memory"), [("linux", True), ("darwin", False)])
def test_memory_is_limited_where_the_system_accepts_it(
    system: str, *, limits_memory: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)
    monkeypatch.setattr(sys, "platform", system)
    renderer._limit(20, 1500)
    assert limits[resource.RLIMIT_CPU] == (20, 21)
    assert limits.get(resource.RLIMIT_AS) == ((1500 << 20, 1500 << 20) if limits_memory else None)

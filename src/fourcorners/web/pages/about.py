"""What the site is, what it stores about people, and what browsers and crawlers ask for by themselves."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.web.application.puzzle_sets import LIFETIME
from fourcorners.web.auth.identity import COOKIE_AGE
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.background_tasks import ATTEMPTS_KEPT
from fourcorners.web.store.analyses import GUESTS_UNUSED_AFTER, UNUSED_AFTER
from fourcorners.web.store.chat import LINES_KEPT

_DAY = 86_400
_CACHED = {"cache-control": "public, max-age=3600"}
# What belongs to people, costs much to draw, or says nothing to those who do not play.
_ROBOTS = """\
User-agent: *
Disallow: /account
Disallow: /analysis/shared/
Disallow: /api
Disallow: /embed/
Disallow: /games/*.pdf
Disallow: /metrics
Disallow: /play
Disallow: /players/
Disallow: /puzzles/*/daily
Disallow: /puzzles/*/next
Disallow: /puzzles/*/run
Disallow: /records
Disallow: /sets/

# These fetch the page of a link in a message, to show its preview.
User-agent: Discordbot
User-agent: facebookexternalhit
User-agent: LinkedInBot
User-agent: Slackbot-LinkExpanding
User-agent: TelegramBot
User-agent: Twitterbot
User-agent: WhatsApp
Disallow: /account
Disallow: /api
"""


def show_about(request: Request) -> Response:
    """Show what the site is, the games and their authors, and the licence."""
    return render_page(request, "about.html", {"games": [catalogue.game(name) for name in catalogue.games()]})


def show_privacy(request: Request) -> Response:
    """Show what is stored about people, for how long, and how to have it deleted."""
    days = {
        "cookie": COOKIE_AGE // _DAY,
        "attempts": round(ATTEMPTS_KEPT / _DAY),
        "sets": round(LIFETIME / _DAY),
        "analyses": round(UNUSED_AFTER / _DAY),
        "guest_analyses": round(GUESTS_UNUSED_AFTER / _DAY),
    }
    return render_page(request, "privacy.html", {"days": days, "lines": LINES_KEPT})


def serve_robots(_: Request) -> Response:
    """Answer with what crawlers should leave alone."""
    return PlainTextResponse(_ROBOTS, headers=_CACHED)


def redirect_to_password(_: Request) -> Response:
    """Redirect to the form for a new password, which password managers ask for."""
    return RedirectResponse("/account#password", 302)


def redirect_to_icon(_: Request) -> Response:
    """Redirect to the icon of the home screen, which some browsers look for at addresses of their own."""
    return RedirectResponse("/static/icons/touch.png", headers=_CACHED)

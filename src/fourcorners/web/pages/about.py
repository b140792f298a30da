"""The pages About and Privacy, robots.txt, and addresses that browsers look up by themselves."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.web.application.puzzle_sets import LIFETIME
from fourcorners.web.domain.clocks import DAY
from fourcorners.web.pages.render import render_page
from fourcorners.web.pages.strength import has_report
from fourcorners.web.realtime.background_tasks import GUEST_DATA_KEPT
from fourcorners.web.store.analyses import GUESTS_UNUSED_AFTER, UNUSED_AFTER
from fourcorners.web.store.chat import LINES_KEPT
from fourcorners.web.store.players import SESSION_LIFETIME

_CACHED = {"cache-control": "public, max-age=3600"}
# Personal pages, expensive pictures, and pages that are of use only to players.
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

# These fetch the page behind a link in a message, to show its preview.
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
    """Show the page about the site, the games and the licence."""
    games = [catalogue.game(name) for name in catalogue.games()]
    return render_page(request, "about.html", {"games": games, "reports": [game for game in games if has_report(game)]})


def show_privacy(request: Request) -> Response:
    """Show which data the server stores, for how long, and how to delete them."""
    days = {
        "cookie": round(SESSION_LIFETIME / DAY),
        "attempts": round(GUEST_DATA_KEPT / DAY),
        "sets": round(LIFETIME / DAY),
        "analyses": round(UNUSED_AFTER / DAY),
        "guest_analyses": round(GUESTS_UNUSED_AFTER / DAY),
    }
    return render_page(request, "privacy.html", {"days": days, "lines": LINES_KEPT})


def serve_robots(_: Request) -> Response:
    """Serve the rules for crawlers."""
    return PlainTextResponse(_ROBOTS, headers=_CACHED)


def redirect_to_password(_: Request) -> Response:
    """Redirect password managers to the form for a new password."""
    return RedirectResponse("/account#password", 302)


def redirect_to_icon(_: Request) -> Response:
    """Redirect browsers that look for the home screen's icon at a fixed address."""
    return RedirectResponse("/static/icons/touch.png", headers=_CACHED)

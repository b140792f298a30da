"""Analyses that someone shares by a link."""

import re

from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.store.analyses import SEEN_EVERY

_ID = re.compile(r"[A-Za-z0-9_-]{16}", re.ASCII)


def load_shared(context: ServerContext, analysis_id: str) -> str:
    """Return the record of a shared analysis, and note that it was opened; raise Refusal 404, or StoreError."""
    found = context.store.load_analysis(analysis_id) if _ID.fullmatch(analysis_id) else None
    if found is None:
        raise Refusal(404, "There is no analysis at this address. Check that the link is complete.")
    text, seen = found
    now = context.time.now()
    if now - seen > SEEN_EVERY:
        # No one waits for it: if it is not stored, the next visit is.
        context.store.touch_analysis(analysis_id, now)
    return text

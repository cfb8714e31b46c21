"""The state of notices (IndexNow), by which sites announce changes, in words. Pure."""

from __future__ import annotations

from hinterland.storage.values.indexnow import KeyState, NoticeOutcome, ShownNotice


def notice_state(notice: ShownNotice) -> str:
    """Return the state of a notice in words."""
    match notice.end:
        case NoticeOutcome.VISITED:
            return "visited since"
        case NoticeOutcome.OUTSIDE:
            return "not a page that is crawled"
        case NoticeOutcome.REFUSED:
            return f"refused: {notice.detail}"
        case None:
            if notice.key_state is KeyState.GOOD:
                return "waiting for a visit"
            return f"waiting for its key to be checked{f', {notice.detail}' if notice.detail else ''}"

"""The Studio: a machine in the browser.  `document` keeps the model and what was done to it, `session` what windows
see, `server` speaks to browsers, `solver` computes in a process of its own; `web/` is what the browser loads.  No
physics here.
"""

from __future__ import annotations

from .document import Document
from .server import serve
from .session import Session

__all__ = ["Document", "Session", "serve"]

"""Data that written pages hold, as a browser finds it."""

from __future__ import annotations

import base64
import json
import re

import numpy as np


def unpack(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def embedded(page):
    """The viewer's data, as a browser finds it."""
    return json.loads(re.search(r'<script type="application/json" id="holonom-viewer-data">(.*?)</script>', page, re.S).group(1))


def curves_of(page):
    """Data of the plots."""
    return json.loads(re.search(r'<script type="application/json" id="holonom-curves">(.*?)</script>', page, re.S).group(1))


def drawn(curves, title):
    """Names of the curves of each plot with this title."""
    return [[name for name, _ in p["curves"]] for p in curves["plots"] if p["title"] == title]

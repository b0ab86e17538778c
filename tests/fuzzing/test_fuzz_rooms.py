"""The oracles of the generator of rooms can fail: circles that are not linked, bodies without contacts."""

import numpy as np
from fuzz.rooms import SCENES, Scene, linked

import holonom as hn


def test_linked_circles():
    one = (np.zeros(3), np.array([0.0, 0.0, 1.0]), 1.0)
    y = np.array([0.0, 1.0, 0.0])
    assert linked(one, (np.array([1.0, 0.0, 0.0]), y, 1.0))
    assert linked(one, (np.array([1.9, 0.0, 0.0]), y, 1.0))
    assert not linked(one, (np.array([2.1, 0.0, 0.0]), y, 1.0))
    assert not linked(one, (np.array([0.0, 0.0, 0.0]), y, 0.9))  # within the disc, but not through it


def test_what_has_no_contact_leaves(monkeypatch):
    monkeypatch.setattr(Scene, "contacts", lambda *_: None)
    seen = set()
    for seed in range(40):
        s = Scene(seed)
        if s.kind in seen or s.driven:
            continue
        run = hn.simulate(s.model, 5.0 * s.size / s.speed, 60)
        if s.fault(run):
            seen.add(s.kind)
        if len(seen) == len(SCENES):
            return
    raise AssertionError(f"only {sorted(seen)} are noticed")

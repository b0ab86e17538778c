"""Inverse kinematics against closed forms: a 6R arm with all eight positions, four-bar, Stewart platform; limits,
redundancy, weights, and what cannot be reached."""

import numpy as np
import pytest

import holonom as hn
from holonom import Model, ModelError
from holonom.model.orientation import Frame

H, A, B, C = 0.4, 0.5, 0.45, 0.12  # heights of the 6R arm: shoulder, upper arm, lower arm, tool


def arm(joints="zyyzyz", lengths=(0.0, H, A, B, 0.0, 0.0), tool=C):
    """A chain of revolute joints about axes of ground, upright in the drawing."""
    m = Model("arm")
    parent, z = m.ground, 0.0
    for k, (axis, length) in enumerate(zip(joints, lengths)):
        z += length
        link = m.part(f"link{k}", 1.0, (0.1, 0.1, 0.1), (0, 0, z))
        m.revolute(link, parent, f"j{k}", at=(0, 0, z), axis={"z": (0, 0, 1), "y": (0, 1, 0)}[axis])
        parent = link
    return m, m.marker_at(parent, (0, 0, z + tool))


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) if axis == "z" else np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def closed_form(R, p):
    """The eight positions of the 6R arm, whose wrist axes meet in a point (Pieper 1968)."""
    x, y, z = p - C * R[:, 2] - [0, 0, H]
    out = []
    for side in (1, -1):
        r, q1 = side * np.hypot(x, y), np.arctan2(side * y, side * x)
        for bend in (1, -1):
            q3 = bend * np.arccos((r * r + z * z - A * A - B * B) / (2 * A * B))
            q2 = np.arctan2(r, z) - np.arctan2(B * np.sin(q3), A + B * np.cos(q3))
            W = (turn("z", q1) @ turn("y", q2 + q3)).T @ R
            for flip in (1, -1):
                q5 = flip * np.arccos(W[2, 2])
                q4, q6 = np.arctan2(flip * W[1, 2], flip * W[0, 2]), np.arctan2(flip * W[2, 1], -flip * W[2, 0])
                out.append([q1, q2, q3, q4, q5, q6])
    return np.array(out)


def difference(a, b):
    return np.abs(np.exp(1j * np.asarray(a)) - np.exp(1j * np.asarray(b))).max(axis=-1)


def test_all_positions_of_a_6r_arm():
    m, tip = arm()
    q = np.array([0.3, 0.5, 0.9, -0.6, 0.8, 1.1])
    R = turn("z", q[0]) @ turn("y", q[1] + q[2]) @ turn("z", q[3]) @ turn("y", q[4]) @ turn("z", q[5])
    p = np.array([0, 0, H]) + turn("z", q[0]) @ turn("y", q[1]) @ [0, 0, A]
    p = p + turn("z", q[0]) @ turn("y", q[1] + q[2]) @ [0, 0, B] + C * R[:, 2]
    expected = closed_form(R, p)
    assert difference(expected, q).min() < 1e-12
    near = hn.inverse_kinematics(m, [(tip, Frame(p, R))], start=q + 0.2)
    assert near.reached and near.free == 0
    assert difference(near.q, q) < 1e-8
    found = hn.inverse_kinematics(m, [(tip, Frame(p, R))], start=q + 0.2, starts=60)
    assert found.reached and len(found.solutions) == 8
    for one in expected:
        assert min(difference(one, s) for s in found.solutions) < 1e-8


def test_limits_and_targets_out_of_reach():
    m, tip = arm()
    near = hn.inverse_kinematics(m, [(tip, (0.0, 0.3, 2.0))], start=[0.1, 0.2, 0.2, 0.1, 0.1, 0.1])
    assert not near.reached
    way = np.array([0.0, 0.3, 2.0 - H])
    assert near.errors[0][1] == pytest.approx(np.linalg.norm(way) - (A + B + C), abs=1e-7)  # straight towards it
    free = hn.inverse_kinematics(m, [(tip, (0.5, 0.0, 0.9))], start=[0.0, 0.6, 0.8, 0.0, 0.3, 0.0])
    assert free.reached and free.free == 3 and not free.at_limits
    kept = hn.inverse_kinematics(
        m, [(tip, (0.5, 0.0, 0.9))], start=[0.0, 0.6, 0.8, 0.0, 0.3, 0.0], limits={"j1.angle": (0.1, 0.3)}
    )
    assert kept.reached and kept.at_limits == ["j1.angle"] and min(abs(kept.q[1] - [0.1, 0.3])) < 1e-12
    shut = hn.inverse_kinematics(m, [(tip, (0.5, 0.0, 0.9))], limits={f"j{k}.angle": (0.0, 0.1) for k in range(6)})
    assert not shut.reached and shut.at_limits


def test_redundant_arm_is_nearest_to_what_is_preferred():
    """Of the solutions the one at which the way to the preferred position is a combination of gradients of the
    target (Lagrange)."""
    m, tip = arm("zyzyzyz", (0.0, 0.3, 0.2, 0.2, 0.2, 0.2, 0.1))
    prefer = np.array([0.2, 0.5, -0.3, 0.9, 0.2, 0.4, 0.1])
    out = hn.inverse_kinematics(m, [(tip, (0.45, 0.2, 0.8))], start=prefer + 0.3, prefer=prefer)
    assert out.reached and out.free == 4
    J = hn.JointCoordinates(m).jacobian(tip, out.q)[:3]
    rest = prefer - out.q
    assert np.abs(rest - J.T @ np.linalg.lstsq(J.T, rest, rcond=None)[0]).max() < 1e-7


def test_weights_share_what_two_targets_cannot_have_both():
    m = Model("slider")
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, 0))
    m.translational(block, m.ground, "way", at=(0, 0, 0), axis=(1, 0, 0))
    a, b = m.marker_at(block, (0, 0, 0)), m.marker_at(block, (1, 0, 0))
    out = hn.inverse_kinematics(m, [(a, (1, 0, 0)), (b, (3, 0, 0), (2, 0))])
    assert not out.reached
    assert out.q == pytest.approx([(1 * 1 + 4 * 2) / 5])  # weighted mean of 1 and 2


def test_point_of_a_coupler():
    """Four-bar with links 1, 3, 2.5 and 3 between the pivots; the crank angle follows from the point by two circles."""
    m = Model("four_bar")
    crank = m.part("crank", 1.0, (1, 1, 1), (0.0, 0.5, 0))
    meet = np.array([3.0 - 2.5 * np.sin(0.5), 2.5 * np.cos(0.5)])
    meet = _circles(np.array([0.0, 1.0]), 3.0, np.array([3.0, 0.0]), 2.5)
    coupler = m.part("coupler", 1.0, (1, 1, 1), (*(0.5 * (meet + [0.0, 1.0])), 0))
    rocker = m.part("rocker", 1.0, (1, 1, 1), (*(0.5 * (meet + [3.0, 0.0])), 0))
    m.revolute(crank, m.ground, "a", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(coupler, crank, "b", at=(0, 1, 0), axis=(0, 0, 1))
    m.revolute(rocker, coupler, "c", at=(*meet, 0), axis=(0, 0, 1))
    m.revolute(rocker, m.ground, "d", at=(3, 0, 0), axis=(0, 0, 1))
    tip = m.marker_at(coupler, (1.0, 2.5, 0))
    for angle in (0.3, -0.7, 1.2):
        pin = np.array([-np.sin(angle), np.cos(angle)])
        end = _circles(pin, 3.0, np.array([3.0, 0.0]), 2.5)
        e0, e = (meet - [0.0, 1.0]) / 3.0, (end - pin) / 3.0
        local = np.array([1.0, 1.5]) @ np.array([e0, [-e0[1], e0[0]]]).T
        point = pin + local[0] * e + local[1] * np.array([-e[1], e[0]])
        out = hn.inverse_kinematics(m, [(tip, (*point, 0))])
        assert out.reached and out.free == 0
        assert dict(zip(out.coordinates, out.q))["a.angle"] == pytest.approx(angle, abs=1e-8)
    outside = hn.inverse_kinematics(m, [(tip, (1.0, 9.0, 0))])
    assert not outside.reached


def _circles(a, ra, b, rb):
    """The upper of the two points at distance ra from a and rb from b."""
    d = np.linalg.norm(b - a)
    x = (ra**2 - rb**2 + d**2) / (2 * d)
    e = (b - a) / d
    return a + x * e + np.sqrt(ra**2 - x**2) * np.array([-e[1], e[0]])


def test_legs_of_a_stewart_platform():
    """Lengths of the legs are the distances of their ends, at any pose of the platform."""
    m = Model("stewart")
    m.gravity = (0, 0, -9.81)
    plate = m.part("plate", 5.0, (1, 1, 2), (0, 0, 1))
    base = [np.array([np.cos(a), np.sin(a), 0]) for a in np.radians([10, 110, 130, 230, 250, 350])]
    top = [0.6 * np.array([np.cos(a), np.sin(a), 0]) for a in np.radians([50, 70, 170, 190, 290, 310])]
    for k in range(6):
        low, high = base[k], top[k] + [0, 0, 1]
        axis = (high - low) / np.linalg.norm(high - low)
        a = m.part(f"a{k}", 0.5, (0.1, 0.1, 0.1), low + 0.25 * (high - low))
        b = m.part(f"b{k}", 0.5, (0.1, 0.1, 0.1), low + 0.75 * (high - low))
        m.spherical(a, m.ground, f"low{k}", at=low)
        m.translational(b, a, f"leg{k}", at=low, axis=axis)
        m.spherical(b, plate, f"high{k}", at=high)
    tip = m.marker_at(plate, (0, 0, 1))
    R = turn("z", 0.3) @ turn("y", 0.2)
    p = np.array([0.1, -0.15, 1.2])
    out = hn.inverse_kinematics(m, [(tip, Frame(p, R))])
    assert out.reached
    found = dict(zip(out.coordinates, out.q))
    for k in range(6):
        longer = np.linalg.norm(p + R @ top[k] - base[k]) - np.linalg.norm(top[k] + [0, 0, 1] - base[k])
        assert abs(found[f"leg{k}.z"]) == pytest.approx(abs(longer), abs=1e-8)


def test_errors_name_what_is_wrong():
    m, tip = arm()
    for arguments, match in (
        (dict(targets=[]), "targets is empty"),
        (dict(targets=[(tip, (1, 2))]), "a target is a point of three finite numbers"),
        (dict(targets=[(tip, (1, 2, 3))], limits={"j9.angle": (0, 1)}), "no coordinate 'j9.angle'"),
        (dict(targets=[(tip, (1, 2, 3))], limits={"j1.angle": (2, 1)}), "2 is above 1"),
        (dict(targets=[(tip, (1, 2, 3), (1, -1))]), "not negative"),
        (dict(targets=[(tip, (1, 2, 3))], start=[1.0]), "start has shape"),
    ):
        with pytest.raises(ModelError, match=match):
            hn.inverse_kinematics(m, **arguments)


def test_stops_of_the_model_are_kept():
    """Two links of 0.5 reach (0.5, 0, 0.5) with the elbow at pi / 2 or -pi / 2; its stops allow the first alone."""
    m = hn.Model("arm")
    upper, lower = m.part("u", 1, (1, 1, 1), (0, 0, 0.25)), m.part("l", 1, (1, 1, 1), (0, 0, 0.75))
    m.revolute(upper, m.ground, "s", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute(lower, upper, "e", at=(0, 0, 0.5), axis=(0, 1, 0), lower=0.0, upper=2.0)
    target = [(m.marker_at(lower, (0, 0, 1)), (0.5, 0, 0.5))]
    kept = hn.inverse_kinematics(m, target, start=[0.1, 0.5], starts=20)
    assert kept.reached and len(kept.solutions) == 1
    assert kept.q == pytest.approx([0.0, np.pi / 2], abs=1e-8)
    assert 0.0 <= hn.inverse_kinematics(m, target, start=[1.5, -1.5]).q[1] <= 2.0
    wide = hn.inverse_kinematics(m, target, start=[1.5, -1.5], limits={"e.angle": (-3.0, 3.0)})
    assert wide.reached and wide.q == pytest.approx([np.pi / 2, -np.pi / 2], abs=1e-8)

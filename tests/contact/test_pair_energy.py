"""Energy of each pair of shapes: what it took from the bodies and gave to them, by quadrature of force times velocity;
pairs that create energy are named, whatever the balance of the whole run is."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.contact import rigid_contact
from holonom.analyses.contact.ledger import Ledger
from holonom.analyses.dynamics.analysis import Dynamics
from holonom.elements.bodies import layout
from holonom.integrators import moreau_jean
from holonom.results.pages.report import write_report

SPEED, MASS, STIFFNESS = 2.0, 1.5, 1e6


def add_ball(m, name, x, **law):
    """A ball that flies down to a plate of its own."""
    ball = m.part(name, MASS, (1e-2,) * 3, (x, 0, 0.11), velocity=(0, 0, -SPEED))
    shape = m.sphere(ball, (x, 0, 0.11), 0.1)
    plate = m.box(m.ground, (x, 0, -0.1), (0.5, 0.5, 0.2))
    m.contact(shape, plate, stiffness=STIFFNESS, exponent=1.5, name=f"on {name}", **law)


def balls(**laws):
    m = hn.Model()
    m.gravity = (0, 0, 0)
    for k, (name, law) in enumerate(laws.items()):
        add_ball(m, name, float(k), **law)
    return m


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5"])
def test_work_of_pairs_is_that_of_closed_form(integrator):
    """An elastic pair takes and gives the kinetic energy, a damped one keeps what the speeds differ by."""
    model = balls(elastic={"damping": 0.0}, damped={"damping": 300.0, "dmax": 1e-4})
    run = hn.simulate(model, 0.05, 20, integrator=integrator, error=1e-8)
    found = {name: p for name in ("elastic", "damped") for p in run.audit().pairs if f"'on {name}'" in p.pair}
    start = 0.5 * MASS * SPEED**2
    behind = 0.5 * MASS * run.part("damped").velocity.values[-1, 2] ** 2
    # which nodes of the quadrature count as taken or given is rough in the piece where the ball turns back
    assert found["elastic"].taken == pytest.approx(start, rel=5e-3)
    assert found["elastic"].given == pytest.approx(found["elastic"].taken, abs=1e-5 * start)
    assert 0.05 * start < behind < 0.95 * start
    assert found["damped"].taken - found["damped"].given == pytest.approx(start - behind, rel=1e-4)
    assert run.audit().creating == [] and max(p.gained for p in found.values()) < 1e-4 * start


def harden(monkeypatch, name, factor):
    """The law of a contact is so many times as stiff once its ball flies back, and nothing takes that energy out."""
    advance = Dynamics._advance

    def advanced(self, bar):
        contacts, ball = self.system.contacts, self.system.body_index["PART", self.system.model.find("PART", name).id]
        k = next(k for k, e in enumerate(contacts.elements) if e.name == f"on {name}")
        if layout.velocities(self.stepper.y, self.system.nb)[ball, 2] > 0.0 and contacts.S.p[k, 0] == STIFFNESS:
            contacts.S.p[k, 0] *= factor
        return advance(self, bar)

    monkeypatch.setattr(Dynamics, "_advance", advanced)
    monkeypatch.setattr(Ledger, "close_step", lambda self, t, y, energy, most=np.inf: False)


def test_a_pair_that_creates_energy_is_named(monkeypatch, tmp_path):
    """Of two pairs one gives half as much again as it took; the other one is damped and loses more than that, so that
    the run as a whole only loses energy."""
    harden(monkeypatch, "wrong", 1.5)
    model = balls(wrong={"damping": 0.0}, sound={"damping": 300.0, "dmax": 1e-4})
    run = hn.simulate(model, 0.05, 20, error=1e-7, hmax=1e-4)
    audit = run.audit()
    (guilty,) = audit.creating
    assert "'on wrong'" in guilty.pair and len(audit.pairs) == 2 and not audit.ok(np.inf)
    start, behind = (0.5 * MASS * run.part("wrong").velocity.values[k, 2] ** 2 for k in (0, -1))
    assert 1.2 * start < behind and guilty.gained == pytest.approx(behind - start, rel=1e-3)
    told = [t for t in run.info["messages"] if "more work than they took" in t]
    assert len(told) == 1 and "'on wrong'" in told[0] and "has created" in str(audit)
    report = write_report(run, tmp_path / "run.html", animation=False)
    assert "creates energy" in report.read_text(encoding="utf-8")


def test_energy_of_an_overlap_at_the_start_may_be_given():
    """The ball begins 1 mm deep, and leaves with what that stores, 2/5 k d^(5/2)."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    ball = m.part("ball", MASS, (1e-2,) * 3, (0, 0, 0.099))
    m.contact(
        m.sphere(ball, (0, 0, 0.099), 0.1), m.box(m.ground, (0, 0, -0.1), (1, 1, 0.2)), stiffness=1e6, damping=0.0,
        exponent=1.5,
    )  # fmt: skip
    run = hn.simulate(m, 0.05, 20, error=1e-8)
    (pair,) = run.audit().pairs
    assert pair.given == pytest.approx(0.4 * 1e6 * 1e-3**2.5, rel=1e-4) and not pair.creates
    assert pair.gained < 1e-3 * pair.given


def strike(P, b, share):
    """Body b gets so much more of its impulses."""
    points = [(m, side) for m in range(int(P.count[0])) for side in (0, 1) if P.body[m, side] == b]
    for m, side in points:
        layout.move(P.u, b)[:] += share * P.Minv[b] * (P.r[m] @ P.H[m, :, 6 * side : 6 * side + 6])
        P.r[m] *= 1.0 + share


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("method", ["events", "time-stepping"])
def test_impulses_that_create_energy_are_named(monkeypatch, method, wrong):
    """Two balls meet plates of their own; one leaves at 1.4 times its speed."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    for k, name in enumerate(("sound", "odd")):
        ball = m.part(name, MASS, (1e-2,) * 3, (k, 0, 0.11 + 0.03 * k), velocity=(0, 0, -SPEED))
        shape = m.sphere(ball, tuple(ball.frame.origin), 0.1)
        m.contact(shape, m.box(m.ground, (k, 0, -0.1), (0.5, 0.5, 0.2)), restitution=0.6, name=f"on {name}")
    solve, impacts = rigid_contact.impact, []

    def odd(W, w, mu, law, e, et):
        impacts.append(w)
        found = solve(W, w, mu, law, e, et)
        return found._replace(r=1.5 * found.r) if len(impacts) == 2 else found  # the second ball comes later

    if wrong:
        monkeypatch.setattr(rigid_contact, "impact", odd)
        solved = moreau_jean.solve

        def odd_step(P, settings):
            report = solved(P, settings)
            strike(P, 1, 0.5)
            return report

        monkeypatch.setattr(moreau_jean, "solve", odd_step)
        monkeypatch.setattr(moreau_jean.MoreauJean, "_mended", lambda self, P, start, allowed: 0)
    more = {"step": 1e-4} if method == "time-stepping" else {}
    run = hn.simulate(m, 0.04, 20, contact=method, **more)
    audit, start = run.audit(), 0.5 * MASS * SPEED**2
    found = {name: p for name in ("sound", "odd") for p in audit.pairs if f"on {name}" in p.pair}
    assert found["sound"].taken == pytest.approx(start * (1 - 0.6**2), rel=1e-6) and not found["sound"].creates
    assert [p.pair for p in audit.creating] == ([found["odd"].pair] if wrong else [])
    if wrong:
        assert found["odd"].gained == pytest.approx(start * (1.4**2 - 1), rel=1e-6) and not audit.ok(np.inf)
    told = [t for t in run.info["messages"] if "more work than they took" in t]
    assert len(told) == (method == "time-stepping" and wrong)


def test_works_of_all_steps_are_what_a_heap_loses():
    """Boxes that fall onto each other in time-stepping: what their pairs took less what they gave is the work of the
    mean forces of all contacts, and what is missing of the energy but for what moves overlaps apart; single pairs give
    what others took, none creates energy."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    floor = m.box(m.ground, (0, 0, -0.1), (2, 2, 0.2))
    shapes = []
    for k in range(3):
        at = np.array([0.02 * k, 0.015 * k, 0.08 + 0.13 * k])
        part = m.part(f"box{k}", 1.0 + k, (2e-3, 3e-3, 2.5e-3), at, velocity=(0.4 - 0.3 * k, 0, 0))
        shapes.append(m.box(part, at, (0.1, 0.12, 0.1)))
    m.contact(shapes, [floor, *shapes], mu=0.3, restitution=0.2)
    run = hn.simulate(m, 0.6, 30, contact="time-stepping", step=1e-3)
    pairs, d = run.audit().pairs, run.data
    total = d.energy_kinetic + d.energy_gravity
    assert len(pairs) >= 3 and run.audit().creating == [] and total[0] - total[-1] > 1.0
    taken = sum(p.taken - p.given for p in pairs)
    assert taken == pytest.approx(d.energy_dissipated[-1], rel=1e-9)
    assert taken == pytest.approx(total[0] - total[-1], rel=0.02) and sum(p.given for p in pairs) > 0.1

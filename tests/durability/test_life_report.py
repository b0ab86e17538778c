"""Lives on the page of a run."""

import numpy as np

import holonom as hn
from holonom.durability import SNCurve, life


def test_life_is_a_section_of_the_report(tmp_path):
    """Next to the sections of the run: the table, the picture, and texts of others as texts."""
    m = hn.Model("drop")
    m.part("ball", 1.0, (1, 1, 1))
    run = hn.simulate(m, end=0.1, steps=2)
    t = np.linspace(0, 1, 41)
    stress = np.zeros((41, 4, 6))
    stress[:, :, 0] = np.sin(12 * t)[:, None] * [100.0, 150.0, 200.0, 300.0]
    found = life(stress, SNCurve.basquin(200.0, 1e6, 5.0))
    page = run.report(tmp_path / "drop.html", animation=False, more={"Fatigue": [found, "<b>by hand</b>"]}).read_text(
        encoding="utf-8"
    )
    section = page[page.index('<section id="fatigue">') :]
    section = section[: section.index("</section>")]
    assert f"<td>{found.hot_spots(1)[0]['node']}</td>" in section and "&lt;b&gt;by hand" in section
    assert page.index('id="fatigue"') < page.index('id="energy"')

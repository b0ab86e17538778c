"""Functions of flexible bodies answer to arguments of any other type with one sentence, never with an error of Python
or NumPy."""

import warnings

import numpy as np
import pytest

import holonom as hn

f = hn.flexible
WRONG = [None, "x", -1, 1.5, float("nan"), [], [[1]], {}, object(), True, "1", np.zeros((2, 2)), [None], [1e99], 10**30]


@pytest.fixture(scope="module")
def calls():
    pytest.importorskip("skfem")
    steel = f.Material(2.1e11, 0.3, 7850.0)
    block = f.box((0, 0, 0), (1, 0.1, 0.1), (4, 1, 1), "hexahedron")
    bar = f.beam((0, 0, 0), (1, 0, 0), f.Section.rectangle(0.02, 0.01), E=2.1e11, density=7850.0, elements=4)
    solid, sheet, body = (
        f.solid(block, steel),
        f.plate((0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 2)),
        f.reduce(bar, [1, 5], 2),
    )

    def make(elements, material=None):
        def call(**words):
            m = hn.Model("m")
            return m.make_flexible(m.part("p", 1.0, (1, 1, 1), position=(0.5, 0, 0)), elements, material, **words)

        return call

    m = hn.Model("m")
    p = m.part("p", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.make_flexible(p, bar, modes=3, interfaces=[1])
    given = lambda function, **default: lambda **words: function(**(default | words))
    choice = (
        "modes damping highest effective interfaces geometric q speed invariants formulation quasi_static contact "
        "accuracy shortest loads units"
    )
    return [
        (make(bar), choice),
        (make(block, steel), "interfaces contact modes loads"),
        (make(body), "damping q"),
        (
            given(f.reduce, elements=bar, interfaces=[1, 5], modes=2),
            "interfaces modes highest effective loads dents accuracy",
        ),
        (given(f.reduce, elements=solid, interfaces=[1], modes=2), "interfaces modes highest dents"),
        (given(f.solid, mesh=block, material=steel), "mesh material mass hexahedra"),
        (given(f.shell, mesh=sheet, material=steel, thickness=0.01), "mesh material thickness mass side"),
        (
            given(f.beam, start=(0, 0, 0), end=(1, 0, 0), section=f.Section.round(0.01), E=1e11, density=1e3),
            "start end section E density y via elements poisson",
        ),
        (lambda **words: bar.tied(f.spider(**({"nodes": [1, 2]} | words))), "nodes at kind id"),
        (given(f.Mesh, points=block.points, cells=block.cells), "points cells ids groups regions"),
        (given(f.Material, E=1.0, nu=0.3, density=1.0), "E nu density"),
        (lambda **words: m.modal_force(p, **words), "scale load nodes pressure acceleration case reaction"),
        (given(m.moving_force, part=p, nodes=[1, 2, 3], place="time", force=(0, 0, 1)), "nodes place force scale"),
        (lambda **words: m.table("FLEXIBILITY")[1].select(**words), "modes"),
        (given(f.missing_statics, elements=bar, body=body), "nodes"),
        (given(f.rayleigh, alpha=1.0, beta=1.0), "alpha beta"),
        (f.Mesh.read, "path"),
        (block.nearest, "at"),
    ]


def test_wrong_arguments(calls):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call, words in calls:
            for word in words.split():
                for value in WRONG:
                    try:
                        call(**{word: value})
                    except hn.ModelError as error:
                        assert "\n" not in str(error)
                    except Exception as error:
                        pytest.fail(f"{word} = {value!r}: {type(error).__name__}: {error}")

"""Drawing needs neither Numba nor SciPy: they take longer to load than all else that `import holonom` loads."""

import subprocess
import sys

from holonom._content_key import content_key
from holonom._jit import Kernel
from holonom.contact.shapes import measure
from holonom.contact.surfaces import kernels, look, search, tangents
from holonom.elements.forces import modal_damping
from holonom.elements.forces.rails import contact
from holonom.elements.forces.tyres import kernels as tyres
from holonom.elements.forces.tyres import user
from holonom.elements.roads import surface

#: that define names when Numba is loaded
MODULES = (contact, kernels, look, measure, modal_damping, search, surface, tangents, tyres, user)

SCRIPT = """
import sys
import holonom as hn
heavy = lambda: sorted({name.partition(".")[0] for name in sys.modules} & {"numba", "llvmlite", "scipy", "matplotlib"})
assert heavy() == [], ("import", heavy())
from typer.testing import CliRunner
from holonom import cli
shown = CliRunner().invoke(cli.app, ["--help"])
assert shown.exit_code == 0 and "check" in shown.output
assert heavy() == [], ("--help", heavy())
m = hn.Model("rig")
arm = m.part("arm", 2.0, (1.0, 1.0, 1.0), position=(0, 0, 1))
m.revolute(arm, m.ground, at=(0, 0, 1), axis=(0, 1, 0))
m.sphere(arm, at=(0, 0, 1), radius=0.1)
m.spring_damper(m.marker(arm), m.marker(m.ground), stiffness=10.0)
wheel = m.part("wheel", 10.0, (1, 1, 1), position=(0, 0, 0.5))
m.tyre_brush(m.marker(wheel), m.marker(m.ground), radius=0.3, stiffness=2e5, slip_stiffness=1e5, load=4e3,
             half_length=0.1, mu=0.9)
hn.Model.from_json(m.to_json())
assert heavy() == [], ("building, writing, reading", heavy())
from importlib import import_module
from holonom._content_key import content_key
from holonom._jit import Kernel
for name in sys.argv[1:]:  # keys, before anything is compiled
    for value in list(vars(import_module(name)).values()):  # loading adds to them
        if isinstance(value, Kernel) and value.py_func.__module__ == name:
            print(name, value.py_func.__qualname__, content_key(value.py_func))
"""


def test_drawing_loads_no_numba_and_keys_wait_for_it():
    """A process that draws has not loaded it.  Where it then asks for keys of kernels, these are what they are here:
    with the names that wait for Numba, which are not in a key where they are missing."""
    names = [module.__name__ for module in MODULES]
    out = subprocess.run([sys.executable, "-c", SCRIPT, *names], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    mine = {
        f"{module.__name__} {value.py_func.__qualname__} {content_key(value.py_func)}"
        for module in MODULES
        for value in list(vars(module).values())
        if isinstance(value, Kernel) and value.py_func.__module__ == module.__name__
    }
    assert len(mine) > 30 and set(out.stdout.split("\n")) - {""} == mine

"""The table of laws as text states what the laws themselves read."""

from importlib import import_module

import pytest

from holonom.contact.laws._read import Context
from holonom.model import ModelError
from holonom.model.contact_words import FRICTIONS, LAWS
from holonom.model.forces import Contact

CONTEXT = Context(radius=1.0, modulus=1.0, length=1.0, spread=1.0, mass=1.0)
#: numbers of a contact that lead through the branches of the laws
GIVEN = (
    {
        "stiffness": 2.0,
        "exponent": 1.5,
        "restitution": 0.5,
        "damping": 0.0,
        "penalty": 1.0,
        "dmax": 0.1,
        "plasticity": 0.5,
    },
    {
        "stiffness": 2.0,
        "exponent": 1.5,
        "restitution": 0.0,
        "damping": 0.3,
        "penalty": 1.0,
        "dmax": 0.1,
        "plasticity": 0.5,
    },
)
RUBS = {"mu_static": 0.5, "mu_dynamic": 0.4, "stiction_transition_velocity": 1.0, "friction_transition_velocity": 2.0}
FRICTION = ({**RUBS, "tangential_stiffness": 5.0}, {**RUBS, "max_stiction_deformation": 0.1, "reference_load": 3.0})


class Recorder(dict):
    """Parameters that note which names are requested."""

    def __init__(self, given, asked):
        super().__init__(given)
        self.asked = asked

    def get(self, name, default=None):
        self.asked.add(name)
        return super().get(name, default)


def asked(room, words, table, choices):
    names, done = set(), 0
    for given in choices:
        contact = Contact()
        setattr(contact, table, Recorder(given, names))
        try:
            import_module(f"holonom.contact.{room}.{words.module}").row(contact, CONTEXT)
            done += 1
        except ModelError:  # one of the choices does not suit this law
            pass
    assert done, f"no choice of numbers suits {words.module}"
    return names


@pytest.mark.parametrize("name", LAWS)
def test_laws_read_what_the_table_says(name):
    assert asked("laws", LAWS[name], "parameters", GIVEN) == set(LAWS[name].parameters)


@pytest.mark.parametrize("name", FRICTIONS)
def test_friction_models_read_what_the_table_says(name):
    assert asked("friction", FRICTIONS[name], "friction_parameters", FRICTION) == set(FRICTIONS[name].parameters)


@pytest.mark.parametrize("name", LAWS)
def test_a_law_has_an_exponent_of_its_own_where_it_reads_none(name):
    assert (LAWS[name].exponent is None) == ("exponent" in LAWS[name].parameters)

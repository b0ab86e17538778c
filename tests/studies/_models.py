"""Models of the tests, built in worker processes."""

import holonom as hn


def oscillator(values):
    """A mass of 2 kg on a spring along x, released 0.1 m from its rest: f = sqrt(k/m)/2 pi."""
    model = hn.Model("oscillator", units="SI")
    mass = model.part("mass", 2.0, (1.0, 1.0, 1.0), position=(0.1, 0, 0))
    guide = model.translational(mass, model.ground, "guide", at=(0.1, 0, 0), axis=(1, 0, 0))
    end = model.marker(model.ground, (1.0, 0, 0))
    model.spring_damper(guide.i, end, values["stiffness"], values["damping"], length=1.0, name="spring")
    return model


def as_drawn():
    """The same with parameters of the model itself."""
    model = hn.Model("oscillator", units="SI")
    k = model.parameter("stiffness", 50.0, bounds=(20.0, 200.0), unit="N/m")
    mass = model.part("mass", 2.0, (1.0, 1.0, 1.0), position=(0.1, 0, 0))
    guide = model.translational(mass, model.ground, "guide", at=(0.1, 0, 0), axis=(1, 0, 0))
    model.spring_damper(guide.i, model.marker(model.ground, (1.0, 0, 0)), k, 0.0, length=1.0, name="spring")
    return model

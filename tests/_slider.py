"""The dataset of a body on a guide, which tests of single statements add to."""


def slider(title: str, *more: str) -> str:
    """Its lines without END: the title, seven more, and ``more``."""
    lines = (
        title,
        "UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND",
        "PART/1, GROUND",
        "MARKER/10, PART=1",
        "PART/2, MASS=2, CM=20, IP=1,1,1",
        "MARKER/20, PART=2",
        "JOINT/1, TRANSLATIONAL, I=20, J=10",
        *more,
    )
    return "\n".join(lines) + "\n"

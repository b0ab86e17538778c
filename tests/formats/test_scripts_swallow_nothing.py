"""Every argument of the commands of a script: it is used, or told when the script is read."""

import itertools

import pytest

import holonom
from holonom.formats import parse_adm
from holonom.formats.adams import script
from holonom.formats.adams.arguments import Arg
from holonom.formats.adams.script import parse_acf
from holonom.model import ModelError, adams_output
from holonom.model.adams_output import AdamsOutput
from holonom.model.commands import PREFERRED, SHOWN, Stop, apply

VALUES = {"END": "1.5", "DURATION": "0.5", "DTOUT": "0.1", "STEPS": "3", "PATTERN": "T:F"}
TIMED = ("DYNAMICS", "KINEMATICS", "TRANSIENT", "QUASISTATIC")
#: what each kind of simulation uses
USED = {
    **{kind: ("END", "DURATION", "DTOUT", "STEPS") for kind in TIMED},
    "STATICS": (),
    "INITIAL_CONDITIONS": ("ACCELERATION",),
}
USED["DYNAMICS"] += ("PATTERN",)
USED["TRANSIENT"] += ("PATTERN",)


@pytest.mark.parametrize(
    "kind, item",
    list(itertools.product(script.SIMULATIONS, script._SIMULATE.items)),
    ids=lambda v: getattr(v, "name", v),
)
def test_simulate(kind, item):
    if item.name in script.SIMULATIONS:
        return  # the types themselves
    given = {"END": "2"} if kind in TIMED and item.name not in ("END", "DURATION") else {}
    given[item.name] = VALUES[item.name] if isinstance(item, Arg) else ""
    text = ", ".join(f"{k}={v}" if v else k for k, v in given.items())
    read = parse_acf(f"m\n\nSIMULATE/{kind}, {text}\n", "x.acf")
    command = read.commands[-1]
    used = USED[command.kind]  # STATICS with an END is QUASISTATIC
    assert getattr(command, item.key) == (getattr(item, "value", None) or getattr(command, item.key)) is not None
    if item.name in used:
        assert read.warnings == []
    else:
        assert (
            len(read.warnings) == 1
            and item.name in read.warnings[0]
            and read.warnings[0].startswith("x.acf:3: SIMULATE: ")
        )


def test_file():
    read = parse_acf("FILE/MODEL=m, OUTPUT=o, ZEBRA=5, COMMAND=y.acf\n", "x.acf")
    assert (read.commands[0].dataset, read.commands[0].output) == ("m", "o")
    assert read.warnings == [
        "x.acf:1: FILE: ZEBRA = 5 has no influence and is ignored",
        "x.acf:1: FILE: COMMAND = y.acf is not executed; copy the commands of that file here",
    ]


#: commands that only show something, and preferences: they are reported, or take effect, when they are carried out
SHOWS = (*SHOWN, *PREFERRED)


@pytest.mark.parametrize("word", [w for w in script._WORDS if w not in ("SIMULATE", "STOP", "LINEAR", "FILE")])
def test_an_argument_that_no_command_has(word):
    number = "/" if word not in script.grammar.STATEMENTS or script.grammar.STATEMENTS[word].settings else "/1"
    try:
        read = parse_acf(f"m\n\n{word}{number}, ZEBRA=5\n", "x.acf")
    except ModelError as error:
        assert "ZEBRA" in str(error)
        return
    assert word in SHOWS or any(text.startswith("x.acf:3: ") and word in text for text in read.warnings)


def test_settings_given_again_replace_what_was_said():
    model = parse_adm("t\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nEND\n")
    for command in parse_acf("m\n\nINTEGRATOR/GSTIFF, MAXERR=1\nINTEGRATOR/MAXERR=2\n", "x.acf").commands[1:]:
        apply(command, model)
    assert model.integrator.extra == (("MAXERR", "2"),) and holonom.formats.write_adm(model).count("MAXERR") == 1


def test_arguments_kept_as_text_join_those_of_the_dataset():
    model = parse_adm(
        "t\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nMATERIAL/1, NAME=steel, "
        "ZEBRA=1, LION=2\nEND\n"
    )
    read = parse_acf("m\n\nMATERIAL/1, ZEBRA=5\n", "x.acf")
    apply(read.commands[1], model)
    assert model.table("MATERIAL")[1].arguments == (("NAME", "steel"), ("ZEBRA", "5"), ("LION", "2"))
    assert read.warnings == ["x.acf:3: MATERIAL/1: ZEBRA = 5 is kept, but has no influence"]


#: words of RESULTS and OUTPUT that require what is done anyway
AS_IT_IS = {
    "FORMATTED": "files are text",
    "NOSEPARATOR": "tables have no page breaks",
    "PRINT": "the default",
    "NOREQSAVE": "the default",
    "NOGRSAVE": "the default",
}


@pytest.mark.parametrize(
    "statement, word",
    [("RESULTS", w) for w in adams_output.RESULTS]
    + [("OUTPUT", w) for w in adams_output.OUTPUT]
    + [
        (s, w)
        for s in ("RESULTS", "OUTPUT")
        for w in ("ZEBRA", "FIXED", "ORIENT", "TELETYPE", "CHART", "DPAGE", "DSCALE", "NODEBUG")
    ],
)
def test_what_is_asked_of_files_is_done_or_told(statement, word):
    base = AdamsOutput.of({statement: ()})
    asked = AdamsOutput.of(
        {statement: ((word, "5" if word == "DECIMALPLACES" else "note" if word == "COMMENT" else ""),)}
    )
    assert (asked == base) == (word in AS_IT_IS)


def test_a_stop_at_the_top_is_written_as_a_command():
    """A bare keyword there would be read as the name of the dataset, or of the output."""
    for text in ("STOP/\nTIME/\n", "m\n\nSTOP/\nTIME/\n", "STOP\n"):
        read = parse_acf(text, "x.acf")
        assert (
            any(isinstance(c, Stop) for c in read.commands)
            and parse_acf(script.write_acf(read)).commands == read.commands
        )

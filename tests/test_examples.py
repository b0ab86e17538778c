"""Every example asserts its own number; here each is run as Python and as the Adams dataset that we ship."""

import importlib.util
import re
from pathlib import Path

import pytest

import holonom as hn

ROOT = Path(__file__).resolve().parents[1]


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ship = load("ship")


@pytest.fixture(scope="module")
def numbers():
    return {}


#: two seconds and more each in either form
LONGEST = (
    "ball_bearing",
    "ball_in_bowl",
    "ball_on_plate",
    "bicycle",
    "billiards",
    "box_stack",
    "card_house",
    "chain_drive",
    "clearance_slider_crank",
    "dominoes",
    "helical_gears",
    "hertz_contacts",
    "newtons_cradle",
    "rattleback",
    "rigid_geneva",
    "rigid_slider_crank",
    "rope_over_pulley",
    "tracked_side",
    "walking_biped",
    "woodpecker",
)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in LONGEST else n for n in ship.NAMES])
def test_python(name, numbers):
    numbers[name] = load(name).main()


#: seconds each; what they are made of is tested in its own folder
LONG_ALONE = (
    "capstan",
    "durability_crane",
    "durability_slider_crank",
    "flexible_four_bar",
    "wheelset_critical_speed",
    "welding_arm",
    "delta_robot",
    "stewart_platform",
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in LONG_ALONE else n for n in (*ship.PYTHON, *ship.BENDING)],
)
def test_python_alone(name):
    load(name).main()


#: seconds each: as datasets they run among the slow tests
LONG = (
    *LONGEST,
    "bouncing_ball",
    "crane",
    "geneva_wheel",
)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in ship.NAMES])
def test_dataset(name, numbers, tmp_path):
    """Written here rather than as shipped (`test_dataset_is_fresh`): sines differ in their last digit from processor to
    processor, and bouncing bodies enlarge that beyond what a dataset may change."""
    example = load(name)
    number = example.main(hn.read_adams(ship.write(name, tmp_path)))
    assert number == pytest.approx(numbers.get(name) or example.main(), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", ship.NAMES)
def test_dataset_is_fresh(name, tmp_path):
    """The shipped files are what the example builds; ``python examples/ship.py`` writes them."""
    path = ship.write(name, tmp_path)
    for suffix in (".adm", ".acf"):
        (words, found), (shipped, wanted) = (
            split(p.with_suffix(suffix).read_text()) for p in (path, ship.MODELS / name)
        )
        assert words == shipped
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def split(text):
    """A text without its decimal numbers, and these (their last digits are those of the processor's sines)."""
    number = re.compile(r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+")
    text = re.sub(r"'?\n!holonom_fields\s*=\s*'?", "", text)  # long lines are cut anywhere
    return " ".join(number.sub("#", text).replace(",\n", ",").replace("\n,", ",").split()), [
        float(x) for x in number.findall(text)
    ]


@pytest.mark.parametrize("name", [*ship.NAMES, *ship.PYTHON])
def test_pictures(name):
    """Nothing of an example is left undrawn, and every moving body has a picture of its own."""
    from holonom.results.pictures.geometry import build_look

    look = build_look(load(name).build())
    assert look.missing == []
    assert {s.body for s in look.shapes if s.skeleton} == set()


def test_scripts_name_the_same_simulation():
    for name in ship.NAMES:
        example = load(name)
        simulate = hn.read_script(ship.MODELS / f"{name}.acf").commands[0]
        assert (simulate.end, simulate.steps) == (example.END, example.STEPS)


def test_there_are_enough():
    assert len(ship.NAMES) >= 8


def test_every_shipped_model_can_run_as_it_is():
    """A dataset carries how its contacts are treated: `check` refuses none of what we ship."""
    import holonom as hn

    models = sorted((ROOT / "src" / "holonom" / "models").glob("*.adm"))
    assert len(models) >= 36
    answers = {p.stem: hn.check(hn.read_adams(p), assemble=False) for p in models}
    assert {name: (a.faults + a.missing)[:1] for name, a in answers.items() if not a.ok} == {}


def test_the_demo_lists_what_is_shipped():
    from typer.testing import CliRunner

    from holonom.cli import app

    out = CliRunner().invoke(app, ["demo", "--list"])
    assert out.exit_code == 0 and len(out.stdout.splitlines()) >= 36
    assert any(line.startswith("four_bar ") and "linkage" in line for line in out.stdout.splitlines())


@pytest.mark.slow
def test_every_demo_runs(tmp_path):
    """As a newcomer types it, with the script of the dataset and its treatment of contacts."""
    from typer.testing import CliRunner

    from holonom import cli

    for path in sorted((ROOT / "src" / "holonom" / "models").glob("*.adm")):
        result = CliRunner().invoke(
            cli.app, ["demo", "--name", path.stem, "--end", "0.01", "--no-progress", "--out", str(tmp_path)]
        )
        assert result.exit_code == 0, (path.stem, result.output + result.stderr)

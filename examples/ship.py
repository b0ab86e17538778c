"""Writes every example as an Adams dataset with its command script to src/holonom/models: ``python examples/ship.py
[folder]``."""

import importlib.util
import sys
from pathlib import Path

import holonom as hn
from holonom.formats.adams.script import Script, Simulate, Stop, write_acf

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent / "src" / "holonom" / "models"
PYTHON = (
    "clutch_driveline",
    "door_latch",
    "controller",
)  # with SWITCHes, for which a dataset has no statement; stepped by a program
PYTHON += ("durability_crane",)  # about a dataset that is there
PYTHON += ("capstan",)  # with rods, for which a dataset has no statement
PYTHON += ("wheelset_critical_speed",)  # nor for wheels on rails
BENDING = (
    "durability_slider_crank",
    "flexible_four_bar",
)  # with flexible bodies, which a dataset gives in a file next to it
PYTHON += ("welding_arm", "delta_robot", "stewart_platform")  # with options of a call: coordinates of the joints
GRAINS = ("hopper", "hourglass", "angle_of_repose")  # nor for GRAINS
MESHES = ("spindle_temperatures",)  # nor where there is no machine, but bodies of finite elements alone
NAMES = sorted(p.stem for p in HERE.glob("*.py") if p.stem not in ("ship", *PYTHON, *BENDING, *GRAINS, *MESHES))


def load(name: str):
    """The example as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(name: str, folder: Path) -> Path:
    """Dataset and script of one example; returns the dataset's path."""
    example = load(name)
    path = Path(folder) / f"{name}.adm"
    model = example.build()
    model.title = model.title or " ".join(example.__doc__.split("\n\n")[0].split()).rstrip(".")
    hn.write_adams(model, path)
    write_acf(Script((Simulate("TRANSIENT", end=example.END, steps=example.STEPS), Stop())), path.with_suffix(".acf"))
    return path


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else MODELS
    target.mkdir(parents=True, exist_ok=True)
    for each in NAMES:
        print(write(each, target))

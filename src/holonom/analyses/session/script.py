"""Runs the commands of a simulation script (``.acf``) one after the other on one `Simulation`.

Every SIMULATE continues where the last one ended; settings, active elements and redefined statements change in between.
A sensor with RETURN ends the present SIMULATE only, one with HALT ends the script (Adams Solver manual, SENSOR).  The
caller's model is not touched: the script works on a copy.  Commands come parsed (`model.commands`);
`formats.adams.session` runs a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...integrators.stepper import IntegrationError
from ...model import Model, ModelError
from ...model.commands import (
    PREFERRED,
    SHOWN,
    Activate,
    Command,
    Linear,
    Load,
    Other,
    Redefine,
    Save,
    Script,
    Settings,
    Simulate,
    Stop,
    apply,
    covered,
    not_done,
)
from ...results.files.state import SavedState
from ...results.run import Run
from .answer import keep as keep_run
from .answer import kept_file
from .simulation import Simulation

ANALYSES = {
    "DYNAMICS": "dynamics",
    "KINEMATICS": "kinematics",
    "TRANSIENT": "transient",
    "STATICS": "statics",
    "QUASISTATIC": "quasistatics",
    "INITIAL_CONDITIONS": "initial",
}


def dataset_of(script: Script) -> Path | None:
    """The dataset that a script names (``FILE/MODEL=`` or its first bare line), next to the script; None without
    one."""
    for command in script:
        if isinstance(command, Load):
            name = command.dataset.strip().strip("'\"")
            path = Path(script.path or ".").parent / name
            return path if path.suffix.lower() in (".adm", ".json") else path.with_name(path.name + ".adm")
    return None


class ScriptRunner:
    """One pass through a script; ``simulation`` is its state, ``output`` the name that the script gives its results.

    ``options`` (``integrator``, ``error``, ``hmax``, ...) win over what the script sets; ``keep``: see
    `simulation.simulate`.
    """

    def __init__(
        self,
        script: Script,
        model: Model,
        *,
        progress: bool | str | Callable[[float, float], None] | None = None,
        missing: str = "error",
        quiet: bool = True,
        referee: bool | str | None = None,
        keep: str | os.PathLike | None = None,
        **options: Any,
    ) -> None:
        self.script = script
        self.options = {key: value for key, value in options.items() if value is not None}
        self.output: str | None = None
        self.dataset: str | None = None
        self.buffers: dict[str, SavedState] = {}
        self.simulation = Simulation(model.copy(), progress=progress, missing=missing, quiet=quiet, referee=referee)
        self.kept = self.simulation.recorder.file = kept_file(keep)

    def run(self) -> Run:
        """Carry out all commands and return the `Run` of all analyses.

        Raises ModelError for bad input and IntegrationError (with ``.run``, the results so far) when an analysis cannot
        continue.
        """
        sim = self.simulation
        try:
            for command in self.script:
                if not self.carry_out(command) or sim.halted or sim.stopped:
                    break
        except (IntegrationError, ModelError) as error:
            if len(sim.recorder):
                sim.recorder.close()
                error.run = keep_run(sim, self.kept, self.results(), error)  # type: ignore[union-attr,attr-defined]
            raise
        finally:
            sim.report_losses()
            sim.recorder.close()
        return keep_run(sim, self.kept, self.results())

    def results(self) -> Run:
        """What was recorded so far, with the name that the script gives its files in ``info``."""
        run = self.simulation.run()
        if self.output:
            run.info["output"] = self.output.strip().strip("'\"")
        return run

    def carry_out(self, command: Command) -> bool:
        """One command; false when the script ends with it."""
        if not isinstance(command, Activate):
            self.simulation.report_losses()  # of all DEACTIVATE commands in a row together
        match command:
            case Stop():
                return False
            case Simulate():
                self.simulate(command)
            case Settings() | Activate() | Redefine():
                self.change(command)
            case Load():
                self.load(command)
            case Linear():
                self.linear(command)
            case Save():
                self.save(command)
            case Other():
                self.other(command)
        return True

    def load(self, command: Load) -> None:
        """FILE/MODEL: the dataset is read before the script runs, so it can only be the first one."""
        if self.dataset is not None:
            raise ModelError(
                f"{command.where}a script runs one dataset, and this is its second ({command.dataset}); make two "
                "scripts of it"
            )
        self.dataset, self.output = command.dataset, command.output or command.dataset

    def other(self, command: Other) -> None:
        """Commands that no analysis checks: OUTPUT and RESULTS state which files are written."""
        sim = self.simulation
        word = command.keyword.split("/")[0]
        if word in PREFERRED:
            sim.model.preferences[word] = sim.model.preferences.get(word, ()) + command.options
        elif word in SHOWN:
            sim.say(f"{command.where}{word} has no influence on the numbers and is ignored")
        else:
            sim.warn(not_done(command))

    def change(self, command: Settings | Activate | Redefine) -> None:
        """Settings, activation and redefinitions, on the simulation's own model."""
        sim = self.simulation
        if isinstance(command, Activate):
            sim.switch(covered(command, sim.model), command.on, tell=False)
        else:
            apply(command, sim.model)

    def linear(self, command: Linear) -> None:
        """LINEAR: the result goes to ``run.linear``, with the tables and files that the command requests
        (`linear_command`)."""
        from ..linear.command import carry_out

        if command.kind == "EXPORT":
            self.simulation.warn(not_done(command))
            return
        carry_out(self.simulation, command)

    def save(self, command: Save) -> None:
        """SAVE/SYSTEM, FILE= and RELOAD/SYSTEM, FILE=; STATES with FILE= or with BUFFER=, in memory."""
        options = {name.upper(): text for name, text in command.options}
        full = lambda word: next((text for name, text in options.items() if word.startswith(name)), None)
        word = "RELOAD" if command.reload else "SAVE"
        file, buffer, states = full("FILE"), full("BUFFER"), full("STATES") is not None
        if (file is None) == (buffer is None):
            raise ModelError(f"{command.where}{word}: give FILE = name, or STATES with BUFFER = name")
        sim = self.simulation
        if text := not_done(command):
            sim.warn(text)
        if command.reload and full("OUTPUT_PREFIX"):
            self.output = full("OUTPUT_PREFIX")
        if buffer is not None:
            if not command.reload:
                self.buffers[buffer] = sim.state()
            elif buffer not in self.buffers:
                raise ModelError(
                    f"{command.where}RELOAD: nothing was saved in BUFFER = {buffer}; choose one of "
                    f"{', '.join(self.buffers) or 'none'}"
                )
            else:
                sim.take(self.buffers[buffer], True)
            return
        path = Path(self.script.path or ".").parent / str(file)
        if command.reload:
            sim.reload(path, states)
            sim.say(f"{command.where}reloaded {path.name}: the time is {sim.time:.9g}")
        else:
            sim.save(path)
            sim.say(f"{command.where}saved to {path.name} at time {sim.time:.9g}")

    def simulate(self, command: Simulate) -> None:
        """One SIMULATE command."""
        sim = self.simulation
        sim.returned = False
        kind = ANALYSES[command.kind]
        if kind == "statics" and (command.end is not None or command.duration is not None):
            kind = "quasistatics"
        if command.end is not None and command.end <= sim.time and kind not in ("statics", "initial"):
            sim.warn(f"{command.where}SIMULATE to {command.end:g} is ignored: the time is {sim.time:.9g} already")
            return
        times: dict[str, Any] = {
            "end": command.end,
            "duration": command.duration,
            "dt": command.dtout,
            "steps": command.steps,
        }
        if text := not_done(command):
            sim.warn(text)
        if kind in ("dynamics", "transient"):
            self.follow_or_integrate(kind, times, {"pattern": command.pattern} if command.pattern else {})
        elif kind == "kinematics":
            sim.kinematics(**times)
        elif kind == "quasistatics":
            sim.quasistatics(**times)
        else:
            getattr(sim, kind)()

    def follow_or_integrate(self, kind: str, times: dict[str, Any], more: dict[str, Any]) -> None:
        """TRANSIENT follows the motions of a mechanism without degrees of freedom and states, and integrates any
        other."""
        sim = self.simulation
        if kind == "transient":
            if sim.degrees_of_freedom() == 0 and not sim.system.nx and sim.system.m:
                sim.kinematics(**times)
                return
        sim.dynamics(**times, **{**more, **self.options})


__all__ = ["ScriptRunner", "dataset_of"]

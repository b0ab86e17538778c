"""Messages and warnings of a simulation, in order and once each."""

from __future__ import annotations

from typing import Any

from ..._warnings import LOG, WarningText, warn_model
from ...model import Model
from ...model.validate import doubts
from ..checks.degrees import prescribed_in_degrees
from ..contact.treatment import is_rigid
from .recorder import Recorder


class Messages:
    """Base of `Simulation` with what it says."""

    model: Model
    recorder: Recorder
    quiet: bool
    #: everything that the analyses have to say, in order; warnings are among them
    messages: list[str]
    #: what their reader must see, with the doubts about the model; those of ``model.warnings`` are not repeated here
    warnings: list[str]
    #: doubts about the model that were issued: with contacts as forces (False), as constraints (True)
    _doubted: set[bool]
    _treatments: set[str]

    def say(self, text: str) -> None:
        """Add a message to those of the run, log it, and print it unless the simulation is quiet; a `WarningText` is a
        warning too (`warn`)."""
        self.messages.append(text)
        if isinstance(text, WarningText):
            self._issue(text)
            return
        LOG.info("%s", text)
        if not self.quiet:
            print(text)

    def warn(self, text: str) -> None:
        """Add a message that the reader of the results must see, and issue it as a `holonom.ModelWarning`; the same
        text once only."""
        if text not in self.warnings:
            self.say(WarningText(text))

    def _issue(self, text: str) -> None:
        """List a warning of the run and issue it, once."""
        if text not in self.warnings:
            self.warnings.append(str(text))
            warn_model(text)

    def say_once(self, text: str) -> None:
        """A message that a script need not hear again with each analysis."""
        if text not in self.messages:
            self.say(text)

    def pass_over(self, statement: str, settings: Any, idle: dict[str, str]) -> None:
        """Say which arguments of a settings statement change nothing: the fields ``idle`` (with the reason), and its
        ``extra``."""
        for name, why in idle.items():
            value = getattr(settings, name)
            if value is not None:
                self.say_once(f"{statement}: {name.upper()} = {value:g} has no influence here and is ignored: {why}")
        for name, text in settings.extra:
            self.say_once(f"{statement}: {name}{' = ' + text if text else ''} has no influence here and is ignored")

    def _issue_doubts(self) -> list[str]:
        """Doubts about the model as its contacts are treated so far: issued before the first step, so that no user
        waits for them."""
        rigid = any(map(is_rigid, self._treatments))
        model = self.recorder.kept or self.model
        found = doubts(model, rigid) + prescribed_in_degrees(model)
        if rigid not in self._doubted:
            self._doubted.add(rigid)
            for text in found:
                self._issue(text)
        return found

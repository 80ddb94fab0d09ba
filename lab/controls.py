"""The Panel widget of every control that is moved, and the text fields, bound to the state.

The page does not use the widgets' own views: it binds its own native, labelled inputs to their
Bokeh models, so that they are there, and work, before Python is. A text field is the page's alone:
what was typed is read here, and what it has to show is told.
"""

from __future__ import annotations

import re
from functools import partial
from math import nan
from typing import Any

import param
from panel.widgets import FloatSlider, IntSlider, RadioBoxGroup, Switch, Widget

from lab.control import Control
from lab.state import LabState
from lab.text import controls
from sim import ScenarioError, shown

THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")


class Controls:
    """The widgets by name of their setting, the fields, and what is wrong with what was typed."""

    def __init__(self, state: LabState) -> None:
        self.state = state
        self.errors: dict[str, str] = {}
        self.fields = {name for name, each in controls().items() if each.kind == "number"}
        self.fields |= {"seed", "task"}
        self.widgets = {
            name: self._widget(each) for name, each in controls().items() if each.kind != "number"
        }
        self._untold: dict[str, str] = {}
        state.param.watch(self._show, [*self.widgets, *self.fields])

    def forget_errors(self) -> None:
        """Show in every field what the state holds, whatever was typed into it."""
        self._untold |= {name: written(getattr(self.state, name)) for name in self.errors}
        self.errors.clear()

    def set(self, values: dict[str, Any]) -> None:
        """Give controls the values that their inputs on the page have."""
        for name, value in values.items():
            if name in self.fields:
                self._read(name, value)
            elif name in self.widgets:
                self.widgets[name].value = value
            else:
                raise ValueError(f"{name!r} is not a control of the lab")

    def tell(self) -> dict[str, str]:
        """What fields have to show that they do not yet."""
        told, self._untold = self._untold, {}
        return told

    def _widget(self, control: Control) -> Widget:
        parameter = self.state.param[control.name]
        value = getattr(self.state, control.name)
        if control.kind == "slider":
            kind = IntSlider if isinstance(value, int) else FloatSlider
            span = {"start": control.low, "end": control.high, "step": control.step}
            widget = kind(value=value, **span)
        elif control.kind == "switch":
            widget = Switch(value=value)
        else:
            widget = RadioBoxGroup(value=value, options=parameter.objects)
        widget.param.watch(partial(self._move, control.name), "value")
        return widget

    def _move(self, name: str, event: Any) -> None:
        setattr(self.state, name, event.new)

    def _read(self, name: str, typed: str) -> None:
        """Take what was typed, or keep the old value and say what is wrong."""
        self.errors.pop(name, None)
        try:
            setattr(self.state, name, self._parsed(name, typed))
        except ValueError as error:
            self.errors[name] = str(error)
        if self._untold.get(name) == typed:
            del self._untold[name]  # that is what it shows

    def _parsed(self, name: str, typed: str) -> float:
        parameter = self.state.param[name]
        is_whole = isinstance(parameter, param.Integer)
        low, high = parameter.bounds
        plain = typed.replace(",", "") if THOUSANDS.fullmatch(typed) else typed
        try:
            value = int(plain) if is_whole else float(plain)
        except ValueError:
            value = nan
        if not low <= value <= high:
            noun = "a whole number" if is_whole else "a number"
            raise ScenarioError(
                f"{name} is {shown(typed)} but must be {noun} from {low:,} to {high:,}: "
                f"for example {written(parameter.default)}."
            )
        return value

    def _show(self, *events: Any) -> None:
        """A control shows its setting, also when something else has changed it."""
        for event in events:
            self.errors.pop(event.name, None)
            if event.name in self.fields:
                self._untold[event.name] = written(event.new)
            else:
                self.widgets[event.name].value = event.new


def written(value: float) -> str:
    """A number as it stands in a field: all its digits, and no needless ones."""
    return str(value).removesuffix(".0")

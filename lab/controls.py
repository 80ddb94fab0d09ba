"""The Panel widget of every control, bound to the state.

The page does not use the widgets' own views: it binds its own native, labelled inputs to their
Bokeh models, so that they are there, and work, before Python is.
"""

from __future__ import annotations

import re
from functools import partial
from math import nan
from typing import Any

import bokeh.models as bk
import panel as pn
import param

from lab.control import Control
from lab.state import LabState
from lab.text import controls
from sim import ScenarioError, shown

THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
FIELD = Control(name="", label="", kind="number", group="", help="")
"""What the seed and the task are: fields that set nothing of the scenario."""


class Field(pn.widgets.TextInput):
    """A text input on Bokeh's own model, which needs none of Panel's scripts in the page."""

    _widget_type = bk.TextInput


class Controls:
    """The widgets by name of their setting, and what is wrong with what was typed into them."""

    def __init__(self, state: LabState) -> None:
        self.state = state
        self.errors: dict[str, str] = {}
        self.widgets = {name: self._widget(control) for name, control in controls().items()}
        self.widgets["seed"] = self._field("seed")
        self.widgets["task"] = self._field("task")
        for name in self.widgets:
            state.param.watch(partial(self._show, name), name)

    def forget_errors(self) -> None:
        """Show in every field what the state holds, whatever was typed into it."""
        self.errors.clear()
        for name, widget in self.widgets.items():
            if isinstance(widget, Field):
                widget.value = written(getattr(self.state, name))

    def set(self, values: dict[str, Any]) -> None:
        """Give widgets the values that their inputs on the page have."""
        for name, value in values.items():
            if name not in self.widgets:
                raise ValueError(f"{name!r} is not a control of the lab")
            self.widgets[name].value = value

    def _widget(self, control: Control) -> pn.widgets.Widget:
        parameter = self.state.param[control.name]
        if control.kind == "slider":
            kind = pn.widgets.IntSlider if isinstance(parameter.default, int) else None
            kind = kind or pn.widgets.FloatSlider
            return kind.from_param(
                parameter, start=control.low, end=control.high, step=control.step
            )
        if control.kind == "switch":
            return pn.widgets.Switch.from_param(parameter)
        if control.kind == "choice":
            return pn.widgets.RadioBoxGroup.from_param(parameter)
        return self._field(control.name)

    def _field(self, name: str) -> Field:
        field = Field(label=name, value=written(getattr(self.state, name)))
        field.param.watch(partial(self._read, name), "value")
        return field

    def _read(self, name: str, event: Any) -> None:
        """Take what was typed, or keep the old value and say what is wrong."""
        self.errors.pop(name, None)
        if event.new == written(getattr(self.state, name)):
            return
        try:
            value = self._parsed(name, event.new)
            setattr(self.state, name, value)
        except ValueError as error:
            self.errors[name] = str(error)

    def _parsed(self, name: str, text: str) -> float:
        parameter = self.state.param[name]
        is_whole = isinstance(parameter, param.Integer)
        low, high = parameter.bounds
        plain = text.replace(",", "") if THOUSANDS.fullmatch(text) else text
        try:
            value = int(plain) if is_whole else float(plain)
        except ValueError:
            value = nan
        if not low <= value <= high:
            noun = "a whole number" if is_whole else "a number"
            raise ScenarioError(
                f"{name} is {shown(text)} but must be {noun} from {low:,} to {high:,}: "
                f"for example {written(parameter.default)}."
            )
        return value

    def _show(self, name: str, event: Any) -> None:
        """A field shows its setting, also when something else has changed it."""
        self.errors.pop(name, None)
        widget = self.widgets[name]
        if isinstance(widget, Field):
            widget.value = written(event.new)


def written(value: float) -> str:
    """A number as it stands in a field: all its digits, and no needless ones."""
    return str(value).removesuffix(".0")

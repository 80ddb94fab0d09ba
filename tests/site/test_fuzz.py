"""Bad input of every kind: the page stands, calm. ``python -m tests.site.fuzz`` gives it more."""

from __future__ import annotations

from tests.site import native
from tests.site.fuzz import corpus, feed


def test_the_page_stands_whatever_it_is_given(new_lab):
    lab = new_lab().open()
    inputs = list(corpus(seed=1, count=250))
    assert {each["kind"] for each in inputs} == {"link", "field", "progress", "message"}
    assert feed(lab, inputs) == []
    lab.page.evaluate("history.replaceState(null, '', '?v=1&seed=1')")
    lab.page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    lab.settled()
    assert lab.tiles()["success"] == native.tiles()["success"]

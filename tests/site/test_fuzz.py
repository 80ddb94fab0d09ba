"""Bad input of every kind: the page stands, calm. ``python -m tests.site.fuzz`` gives it more."""

from __future__ import annotations

from dataclasses import fields

from lab.tracking.settings import Settings
from tests.site import native
from tests.site.corpus import EMBED_KINDS, KINDS, KNOBS, corpus, embed_corpus
from tests.site.fuzz import feed, feed_embed
from tests.site.guest import GuestPage


def test_the_page_stands_whatever_it_is_given(new_lab, host):
    lab = new_lab(host.url() + "?tab=state-tracking").open()
    inputs = list(corpus(seed=1, count=250))
    assert {each["kind"] for each in inputs} == set(KINDS)
    assert feed(lab, inputs) == []
    lab.page.evaluate("history.replaceState(null, '', '?v=1&seed=1')")
    lab.page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    lab.settled()
    assert lab.tiles()["success"] == native.tiles()["success"]


def test_an_embed_stands_whatever_the_page_around_it_does(new_lab, host):
    guest = GuestPage(new_lab().page, host)
    guest.open('<compaction-lab window="32000" loading="idle"></compaction-lab>').live()
    inputs = list(embed_corpus(seed=1, count=60))
    assert {each["kind"] for each in inputs} == set(EMBED_KINDS)
    assert feed_embed(guest, inputs) == []


def test_the_corpus_names_every_setting_of_the_second_tab():
    assert {spec.name for spec in fields(Settings)} == set(KNOBS)

"""The README's picture is a small picture of the lab as it is."""

from __future__ import annotations

import struct

from tests.site import native
from tests.site.screenshot import HEIGHT, PICTURE, WIDTH, stage, take


def size_of(path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def test_the_picture_in_the_repository_is_small_and_of_the_right_size():
    assert PICTURE.stat().st_size < 300_000
    assert size_of(PICTURE) == (WIDTH, HEIGHT)


def test_the_picture_can_be_taken_and_shows_a_live_lab(new_lab, tmp_path):
    lab = new_lab(viewport={"width": WIDTH, "height": HEIGHT}).open()
    stage(lab)
    take(lab, tmp_path / "lab.png")
    assert size_of(tmp_path / "lab.png") == (WIDTH, HEIGHT)
    assert lab.sentence == "".join(
        native.words(window=40_000, summary_budget=2_000)[part] for part in ("lead", "rest")
    )
    assert lab.shown("success")["delta"] != "no change"

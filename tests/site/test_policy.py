"""The pages under their content security policy: all that they do goes on, nothing else does.

A breach is an error on the console, for which the watch fails a test.
"""

from __future__ import annotations

import pytest

from lab.policy import ALLOWED
from tests.site import native

LIVE = "html[data-stage=live][data-settled=true]"


@pytest.fixture
def strict(new_lab, request):
    """A page that the policy is in force for; it is not waited for by eval."""
    lab = new_lab(bypass_csp=False)
    lab.page.goto(lab.url)
    lab.page.locator(LIVE).wait_for(timeout=40_000)
    return lab


def test_no_other_host_and_no_eval_is_allowed():
    for name, (allowed, why) in ALLOWED.items():
        assert why.endswith(".")
        for source in allowed.split():
            assert source in {"'none'", "'self'", "'unsafe-inline'", "data:", "blob:"}, name
    assert ALLOWED["default-src"][0] == "'none'"
    assert ALLOWED["script-src"][0] == ALLOWED["connect-src"][0] == "'self'"


def test_the_lab_lives_within_the_policy(strict):
    page = strict.page
    for fold in page.locator("details > summary").all():
        if fold.is_visible():
            fold.click()
    strict.control("window").focus()
    page.keyboard.press("ArrowRight")
    page.locator("html[data-settled=true]").wait_for()
    page.get_by_text("65,000", exact=False).first.wait_for()
    assert strict.tiles() == pytest.approx(native.tiles(window=65_000), rel=1e-9)
    page.mouse.move(640, 500)  # over a chart
    with page.expect_download():
        page.locator("[data-image=context][data-type=png]").click()
    with page.expect_download():
        page.locator("[data-csv=context]").click()


def test_a_script_that_gets_into_the_page_does_not_run(strict, watch):
    page = strict.page
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.__ran = true";
          document.body.append(script);
          const image = "<img src='data:,' onerror='__ran = true'>";
          document.body.insertAdjacentHTML("beforeend", image);
        }"""
    )
    page.locator("html").evaluate("() => new Promise(requestAnimationFrame)")
    assert page.evaluate("window.__ran ?? null") is None
    breaches = [t for t in watch.troubles if "Content Security Policy" in t.text]
    assert breaches
    watch.troubles.clear()


def test_the_article_and_its_embed_live_within_the_policy(new_lab, host):
    lab = new_lab(f"{host.url()}article.html", bypass_csp=False)
    lab.page.goto(lab.url)
    lab.page.get_by_role("button", name="Try it here").first.click()
    frame = lab.page.frame_locator("compaction-lab iframe").first
    frame.locator(LIVE).wait_for(timeout=40_000)
    assert frame.locator("[data-tile=success]").is_visible()


def test_the_page_keeps_no_cookie_and_says_where_its_parts_are_from(new_lab, host):
    lab = new_lab().open()
    assert lab.page.context.cookies() == []
    for name, words in {"Licences of all that is in it": "Pyodide", "every file": "sha256"}.items():
        address = lab.page.get_by_role("link", name=name).get_attribute("href")
        assert words in lab.page.request.get(host.url() + address).text()
    assert lab.page.get_by_text("sets no cookie", exact=False).is_visible()


@pytest.mark.parametrize(
    "name", ["index.html", "article.html", "studies.html", "study-regimes.html"]
)
def test_every_page_is_under_the_policy(host, name):
    text = (host.site / name).read_text()
    assert text.index("Content-Security-Policy") < text.index("<title>")

"""The content security policy of the pages: what they may load and run, and why no less.

It stands in each page as a ``meta`` element, since the site has to work on hosts that set no
headers. Python's worker is a page of its own kind, to which it does not apply.
"""

from __future__ import annotations

from html import escape

ALLOWED = {
    "default-src": (
        "'none'",
        "Nothing, but for what follows. No address of another host is named.",
    ),
    "script-src": (
        "'self'",
        "The site's own files: no script in the page itself, no eval, and no WebAssembly, "
        "which is the worker's.",
    ),
    "style-src": (
        "'self' 'unsafe-inline'",
        "Bokeh draws with style elements and attributes of its own making.",
    ),
    "img-src": (
        "'self' data: blob:",
        "The icon is in the page, as data; a chart that is saved as a picture is made here.",
    ),
    "connect-src": ("'self'", "The site's own files, for Python."),
    "worker-src": (
        "'self'",
        "Python runs in a worker of the site; a service worker of its own keeps the site's files.",
    ),
    "frame-src": ("'self'", "The article and the pages of studies hold the lab."),
    "base-uri": ("'none'", "No addresses bent by what might get into the page."),
    "form-action": ("'none'", "Nothing is sent anywhere."),
}
"""Directive -> what it allows, and the reason."""


def meta() -> str:
    """The element that puts the policy into force; it has to come before what it is about."""
    rules = "; ".join(f"{name} {allowed}" for name, (allowed, _) in ALLOWED.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(rules)}">'

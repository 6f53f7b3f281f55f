"""The configuration changed again and again while functions are open."""

import kymo
from kymo.profiler import config


def leaf():
    return 1


def renew():
    """A start while recording takes the new configuration over."""
    kymo.start()
    kymo.stop()


def outer(depth):
    leaf()
    if depth:
        outer(depth - 1)
    else:
        config.exclude_functions += ["^now_hidden$"]
        renew()
        now_hidden()
    leaf()


def now_hidden():
    leaf()  # hidden


def hides():
    """Excluded until its own configuration says otherwise."""
    leaf()  # hidden
    if "^hides$" in config.exclude_functions:
        config.exclude_functions.remove("^hides$")
        renew()
    leaf()


def with_lines():
    config.include_line = True
    renew()
    leaf()


def generate():
    yield leaf()
    config.include_line = False
    renew()
    yield leaf()


def run():
    outer(2)
    hides()
    hides()
    with_lines()
    leaf()
    list(generate())
    leaf()


config.exclude_functions += ["^hides$"]
with kymo.profile():
    run()
print("done")

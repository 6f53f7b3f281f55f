"""What the tables of samples show of a program that is known."""

import shutil
import subprocess

import pytest
import support

KYMO = support.KYMO
SLEEP = shutil.which("sleep")


def sampled(folder, *program, options=()):
    subprocess.run(
        [KYMO, "sample", "-f", "200", "-o", folder, *options, "--", *program],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return folder


def report(folder, *options):
    done = subprocess.run(
        [KYMO, "report", folder, *options], stdout=subprocess.PIPE, check=True, timeout=60
    )
    return done.stdout.decode()


@pytest.mark.skipif(not SLEEP, reason="there is no sleep command")
def test_a_sleep_that_went_on_elsewhere_is_a_sleep(tmp_path):
    """Sampling ends sleeps, which go on as another call inside of Kymo."""
    folder = sampled(tmp_path / "run", SLEEP, "0.6")
    tree = report(folder, "--tree", "--top", "0")
    assert "nanosleep (kernel)" in tree
    assert "poll" not in tree
    assert "libkymo" not in tree

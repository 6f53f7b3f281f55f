"""Which interpreters there are, and the peers installed for each."""

import os
import re
import subprocess
import sys

from suite.tools import PACKAGES

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("KYMO_BUILD", os.path.join(ROOT, "build")))
BENCH = os.path.join(ROOT, "bench")


def interpreters():
    """{version: executable} of every interpreter the build has a wrapper for."""
    found = {}
    folder = os.path.join(BUILD, "bin")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        match = re.fullmatch(r"kymo-python-(\d+)\.(\d+)", name)
        if match:
            command = [os.path.join(folder, name), "--", "-c", "import sys; print(sys.executable)"]
            environment = dict(os.environ, KYMO_ENABLED="OFF")
            answer = subprocess.run(command, capture_output=True, text=True, env=environment)
            if answer.returncode == 0:
                found[f"{match[1]}.{match[2]}"] = answer.stdout.strip()
    return dict(sorted(found.items(), key=lambda item: [int(n) for n in item[0].split(".")]))


def peers(version, executable):
    """Python of an environment with the peers, and {tool: why it is missing}."""
    folder = os.path.join(BUILD, "bench", f"venv-{version}")
    python = os.path.join(folder, "bin", "python")
    missing = {}
    if not os.path.exists(python):
        subprocess.run([executable, "-m", "venv", folder], check=True)
    for tool, package in PACKAGES.items():
        probe = subprocess.run([python, "-c", f"import {package}"], capture_output=True)
        if probe.returncode == 0:
            continue
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", package]
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.returncode != 0:
            missing[tool] = (answer.stderr.strip().splitlines() or ["pip failed"])[-1]
    return python, missing


def environment(folder, settings=None):
    """Environment in which the package and the suite are found and outputs go to folder."""
    variables = dict(os.environ)
    variables.update(
        PYTHONPATH=os.pathsep.join([os.path.join(BUILD, "python"), BENCH]),
        PYTHONDONTWRITEBYTECODE="1",
        KYMO_OUTPUT_PATH=folder,
        KYMO_TIME_OUTPUT="OFF",
        KYMO_FINISH="OFF",
        KYMO_QUIET="ON",
    )
    variables.update(settings or {})
    return variables


def say(text):
    print(text, file=sys.stderr, flush=True)

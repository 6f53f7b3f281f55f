"""What is added to `python -c pass`, wall time, and to importing an empty package."""

import os
import tempfile

from suite import setup
from suite.outside import Usage
from suite.table import median, show


def _variants(python, folder):
    empty = os.path.join(folder, "empty_package")
    os.makedirs(empty, exist_ok=True)
    open(os.path.join(empty, "__init__.py"), "w").close()
    return {
        "bare": [python, "-c", "pass"],
        "kymo": [python, "-m", "kymo", "--", "-c", "pass"],
        "empty": [python, "-c", "import empty_package"],
        "import": [python, "-c", "import kymo"],
    }


def run(versions, rounds):
    rows = []
    for version, python in versions.items():
        with tempfile.TemporaryDirectory() as folder:
            variables = setup.environment(folder, {"KYMO_FINISH": "ON"})
            variables["PYTHONPATH"] += os.pathsep + folder
            del variables["PYTHONDONTWRITEBYTECODE"]
            variants = _variants(python, folder)
            times = {name: [] for name in variants}
            for _ in range(4 * rounds):
                for name, command in variants.items():
                    times[name].append(Usage(command, variables).wall * 1e3)
        added = [k - b for k, b in zip(times["kymo"], times["bare"])]
        imported = [k - b for k, b in zip(times["import"], times["empty"])]
        rows.append(
            [
                version,
                f"{median(times['bare']):.1f}",
                f"{median(added):+.1f}",
                f"{median(imported):+.1f}",
            ]
        )
    header = ["Python", "-c pass, ms", "under kymo, added", "import kymo, added"]
    show("Start and end of an empty program, wall time", header, rows)

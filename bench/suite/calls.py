"""Time added to one Python call and return.

Every round runs every tool once, each in a process of its own that measures the bare
workload and the workload under the tool in turns."""

import subprocess
import tempfile

from suite import clock, setup
from suite.table import median, ratio, show
from suite.tools import KYMO_SETTINGS, TOOLS


def _one(python, tool, folder):
    command = [python, "-m", "suite.incall", tool]
    variables = setup.environment(folder, KYMO_SETTINGS.get(tool))
    answer = subprocess.run(command, env=variables, capture_output=True, text=True)
    if answer.returncode != 0:
        raise RuntimeError((answer.stderr.strip().splitlines() or ["failed"])[-1])
    for line in answer.stdout.splitlines():
        name, bare, hooked, calls = line.split()
        yield name, float(bare), float(hooked), int(calls)


def measure(python, tools, rounds):
    """{workload: {tool: [(bare s, hooked s, calls)]}}, and {tool: why it failed}."""
    results, failed = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for tool in tools:
                if tool in failed:
                    continue
                try:
                    for name, *figures in _one(python, tool, folder):
                        results.setdefault(name, {}).setdefault(tool, []).append(figures)
                except RuntimeError as error:
                    failed[tool] = str(error)
    return results, failed


def added_ns(figures):
    """Nanoseconds a call: median over the rounds."""
    return median([(hooked - bare) / calls * 1e9 for bare, hooked, calls in figures])


def _row(workload, tools, by_tool):
    bare = median([b / calls * 1e9 for fs in by_tool.values() for b, _, calls in fs])
    added = {tool: added_ns(figures) for tool, figures in by_tool.items()}
    cells = [workload, f"{bare:.0f}"]
    cells += [f"{added[tool]:+.1f}" if tool in added else "-" for tool in tools]
    trace = added.get("kymo trace", 0)
    cells.append(ratio(added["kymo"], added.get("cProfile", 0)))
    cells.append(ratio(trace, added.get("viztracer", 0)))
    cells.append(f"{trace / added['kymo']:.2f}" if added["kymo"] > 0 else "-")
    return cells


def run(versions, rounds):
    floor = clock.pair_ns()
    if floor:
        print(f"Two readings of the processor's counter cost {floor:.1f} ns here.")
    for version, executable in versions.items():
        python, missing = setup.peers(version, executable)
        tools = [tool for tool in TOOLS if tool not in missing]
        results, failed = measure(python, tools, rounds)
        tools = [tool for tool in tools if tool not in failed]
        calls = [_row(name, tools, by) for name, by in results.items() if name != "builtins"]
        header = ["ns a call", "bare", *tools, "kymo:cProfile", "trace:viztracer", "trace:profile"]
        show(f"Python {version}: time added to one call and return", header, calls)
        _show_builtins(version, tools, results["builtins"])
        for tool, reason in {**missing, **failed}.items():
            print(f"{tool} is left out on {version}: {reason}")


def _show_builtins(version, tools, by_tool):
    rows = [
        [tool, f"{median([hooked / bare for bare, hooked, _ in by_tool[tool]]):.3f}"]
        for tool in tools
    ]
    show(f"Python {version}: a loop of built-in functions, untraced", ["tool", "times bare"], rows)

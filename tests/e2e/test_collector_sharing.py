"""Programs that use what Kymo uses: they keep working, and Kymo says what it lost."""

import subprocess

import collector_runs as runs
import pytest
import support


def counts(threads):
    """{function name: calls} over all threads and paths."""
    total = {}

    def visit(tree):
        for label, (count, children) in tree.items():
            name = label.partition("@")[0]
            total[name] = total.get(name, 0) + count
            visit(children)

    for tree in threads.values():
        visit(tree)
    return total


def record_scope(python, instrumenter, args, cwd, **extra):
    """Record a program that starts and stops the recording itself."""
    return runs.record(python, instrumenter, args, cwd, options=["-b"], **extra)


@pytest.mark.since("3.9")
def test_frame_evaluation_in_a_chain(python, tmp_path):
    library = tmp_path / "evaluator.so"
    source = support.PROGRAMS / "py_evaluator.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    recorded = record_scope(
        python, "frame", [support.PROGRAMS / "py_chained.py", library], tmp_path
    )
    assert recorded.process.stdout == "done\n"
    assert counts(recorded.profile()) == {"install": 1, "recorded": 4 * 15}
    assert recorded.unmatched() == 0

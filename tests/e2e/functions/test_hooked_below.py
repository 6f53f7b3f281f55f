"""What Kymo hooks of the interpreter it hooks below Python: nothing that a program can look at
differs, whether it is recorded by its command line, by itself or by its parent."""

import support

PROGRAM = support.program("look_around.py")


def bare(python, tmp_path):
    result = support.run_bare_python(python, [PROGRAM], cwd=tmp_path)
    assert result.returncode == 300 & 0xFF, result.stderr
    return result.stdout


def test_on_the_command_line(python, tmp_path):
    result = support.run_kymo_python(python, ["-q", PROGRAM], cwd=tmp_path)
    assert (result.returncode, result.stdout) == (300 & 0xFF, bare(python, tmp_path)), result.stderr
    assert support.region_calls(tmp_path / "out")["describe"] >= 5


def test_in_a_child(python, tmp_path):
    """Which a recorded process starts: it looks the same, joins the run and ends by os._exit()."""
    code = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, {str(PROGRAM)!r}]))"
    result = support.run_kymo_python(python, ["-q", "-c", code], cwd=tmp_path)
    assert (result.returncode, result.stdout) == (300 & 0xFF, bare(python, tmp_path)), result.stderr
    recordings = [support.decode(path) for path in support.find_recordings(tmp_path / "out")]
    assert [each.is_closed for each in recordings] == [True, True]


def test_functions_that_a_program_holds_from_before(python, tmp_path):
    """Taken before Kymo started, and called while it records: hooked all the same."""
    (tmp_path / "program.py").write_text(
        "import _thread, os, threading, time\n"
        "start, leave = _thread.start_new_thread, os._exit\n"
        "import kymo\n"
        "done = threading.Event()\n"
        "def work(): done.set()\n"
        "with kymo.profile:\n"
        "    start(work, ())\n"
        "    done.wait()\n"
        "    leave(5)\n"
    )
    environment = {"PYTHONPATH": support.PACKAGE_DIR, "KYMO_OUTPUT_PATH": tmp_path / "out"}
    command = [python.executable, "program.py"]
    result = support.run(command, cwd=tmp_path, env={**environment, "KYMO_TIME_OUTPUT": "OFF"})
    assert result.returncode == 5, result.stderr
    assert support.region_calls(tmp_path / "out")["work"] == 1
    assert (tmp_path / "out" / "wall_clock.txt").exists()  # closed, and finished


def test_hooks_are_taken_out_again(python, tmp_path):
    """After the end of the recording the interpreter calls its own functions."""
    (tmp_path / "program.py").write_text(
        "import kymo, sys, threading\n"
        "from kymo._binding import native\n"
        "called = []\n"
        "with kymo.profile: pass\n"
        "native.before_exit(called.append)\n"
        "native.before_exit(None)\n"
        "kymo.finalize()\n"
        "thread = threading.Thread(target=lambda: print('ran'))\n"
        "thread.start(); thread.join()\n"
        "print(called, flush=True)\n"
        "import os; os._exit(3)\n"
    )
    environment = {"PYTHONPATH": support.PACKAGE_DIR, "KYMO_OUTPUT_PATH": tmp_path / "out"}
    result = support.run([python.executable, "program.py"], cwd=tmp_path, env=environment)
    assert (result.stdout, result.returncode) == ("ran\n[]\n", 3), result.stderr

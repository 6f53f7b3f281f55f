"""Processes that a recorded program starts: each leaves its recording in the one run, with
the calls it made; nothing hangs, nothing is left behind for others to find."""

import json
import shutil
import textwrap

import pytest
import support

pytestmark = pytest.mark.alike_versions

WORK = """
    import os
    def work(n):
        return n * 2
"""

# Each program calls work() exactly four times in child processes, and never itself.
PROGRAMS = {
    "fork": """
        import os
        for i in range(4):
            child = os.fork()
            if not child:
                work(i)
                os._exit(0)
            os.waitpid(child, 0)
        """,
    "fork_and_leave": """
        import os, sys
        for i in range(4):
            child = os.fork()
            if not child:
                work(i)
                sys.exit(0)
            os.waitpid(child, 0)
        """,
    "fork_without_exit": """
        import os, signal
        for i in range(4):
            child = os.fork()
            if not child:
                work(i)
                os.kill(os.getpid(), signal.SIGKILL)
            os.waitpid(child, 0)
        """,
    "subprocess": """
        import subprocess, sys
        for i in range(4):
            subprocess.check_call([sys.executable, "-c", "from common import work; work(1)"])
        """,
    "subprocess_module": """
        import subprocess, sys
        for i in range(4):
            subprocess.check_call([sys.executable, "-m", "workmod"])
        """,
    "subprocess_of_subprocess": """
        import subprocess, sys
        code = "import subprocess, sys; [subprocess.check_call([sys.executable, 'workmod.py'])"
        subprocess.check_call([sys.executable, "-c", code + " for i in range(4)]"])
        """,
    "shell": """
        import os
        os.system("for i in 1 2 3 4; do $PYTHON workmod.py; done")
        """,
    "exec": """
        import os, sys
        code = "from common import work; [work(i) for i in range(4)]"
        os.execv(sys.executable, [sys.executable, "-c", code])
        """,
    "multiprocessing_fork": """
        import multiprocessing
        def main():
            context = multiprocessing.get_context("fork")
            for i in range(4):
                process = context.Process(target=work, args=(i,))
                process.start()
                process.join()
                assert process.exitcode == 0
        if __name__ == "__main__":
            main()
        """,
    "pool_fork": """
        import multiprocessing
        def main():
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(work, range(4)))
        if __name__ == "__main__":
            main()
        """,
    "executor": """
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        def main():
            with ProcessPoolExecutor(3) as executor:
                print(list(executor.map(work, range(4))))
        if __name__ == "__main__":
            main()
        """,
}
for method in ("spawn", "forkserver"):
    for kind in ("multiprocessing", "pool"):
        PROGRAMS[f"{kind}_{method}"] = PROGRAMS[f"{kind}_fork"].replace('"fork"', f'"{method}"')


@pytest.fixture
def place(tmp_path):
    (tmp_path / "common.py").write_text(textwrap.dedent(WORK))
    (tmp_path / "workmod.py").write_text("from common import work\nwork(1)\n")
    return tmp_path


def run_program(place, python, text, options=(), **more):
    (place / "program.py").write_text("from common import work\n" + textwrap.dedent(text))
    environment = {"PYTHON": python.executable, **more.pop("env", {})}
    return support.run_kymo_python(
        python, ["-q", *options, "program.py"], cwd=place, env=environment, **more
    )


@pytest.mark.newest_version
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_call_of_every_child_is_recorded(place, python, name):
    result = run_program(place, python, PROGRAMS[name])
    assert (result.returncode, result.stderr) == (0, "")
    assert support.region_calls(place / "out")["work"] == 4
    assert len(support.find_recordings(place / "out")) >= 2
    assert support.find_recordings(place) == support.find_recordings(place / "out")


def test_children_change_nothing_the_program_prints(place, python):
    text = PROGRAMS["pool_spawn"].replace(
        "pool.map(work, range(4))", "pool.map(work, range(4)), __import__('sys').path"
    )
    result = run_program(place, python, text)
    bare = support.run_bare_python(
        python, ["program.py"], cwd=place, env={"PYTHONPATH": support.PACKAGE_DIR}
    )
    assert result.stdout == bare.stdout and result.returncode == bare.returncode == 0


CHILD_SEES = """
    import subprocess, sys
    code = ("import sys; print([each for each in sys.path if '_boot' in each],"
            " 'sitecustomize' in sys.modules)")
    print(subprocess.check_output([sys.executable, "-c", code]).decode())
"""


def test_child_sees_no_trace_of_the_way_in(place, python):
    # Some distributions bring a sitecustomize of their own.
    program = place / "bare.py"
    program.write_text(textwrap.dedent(CHILD_SEES))
    bare = support.run_bare_python(python, [program], cwd=place)
    assert bare.stdout.startswith("[] ")
    assert run_program(place, python, CHILD_SEES).stdout == bare.stdout


def test_child_runs_its_own_sitecustomize(place, python):
    (place / "site").mkdir()
    (place / "site" / "sitecustomize.py").write_text("import builtins\nbuiltins.mark = 'own'\n")
    text = """
        import subprocess, sys
        code = "import sitecustomize; print(mark, sitecustomize.__file__[-21:])"
        print(subprocess.check_output([sys.executable, "-c", code]).decode().strip())
        """
    path = f"{support.PACKAGE_DIR}:{place / 'site'}"
    result = run_program(place, python, text, env={"PYTHONPATH": path})
    assert result.stdout == "own site/sitecustomize.py\n", result.stderr


def test_failing_sitecustomize_fails_as_without_kymo(place, python):
    (place / "site").mkdir()
    (place / "site" / "sitecustomize.py").write_text("1 / 0\n")
    text = """
        import subprocess, sys
        run = subprocess.run([sys.executable, "-c", "print(1)"], stdout=-1, stderr=-1)
        print(run.stdout, [line for line in run.stderr.splitlines() if b"Error" in line])
        """
    path = f"{support.PACKAGE_DIR}:{place / 'site'}"
    result = run_program(place, python, text, env={"PYTHONPATH": path})
    bare = support.run_bare_python(python, ["program.py"], cwd=place, env={"PYTHONPATH": path})
    assert result.stdout == bare.stdout


def test_helper_processes_of_multiprocessing_are_left_out(place, python):
    text = """
        import multiprocessing, time
        from multiprocessing import resource_tracker
        def main():
            resource_tracker.ensure_running()
            time.sleep(0.3)
        if __name__ == "__main__":
            main()
        """
    assert run_program(place, python, text).returncode == 0
    assert len(support.find_recordings(place / "out")) == 1


def test_children_can_be_left_out(place, python):
    result = run_program(place, python, PROGRAMS["subprocess"], env={"KYMO_PYTHON_CHILDREN": "OFF"})
    assert (result.returncode, result.stderr) == (0, "")
    assert len(support.find_recordings(place / "out")) == 1
    assert "work" not in support.region_calls(place / "out")


ENVIRONMENT = """
    import os, json
    names = [name for name in os.environ if name.startswith(("KYMO_", "PYTHONPATH"))]
    print(json.dumps({name: os.environ[name] for name in names}))
"""


def test_environment_holds_what_children_need_and_no_more(place, python):
    seen = json.loads(run_program(place, python, ENVIRONMENT).stdout)
    assert seen["KYMO_RUN_DIR"] == str(place / "out")
    boot, path = seen["PYTHONPATH"].split(":")
    assert boot.endswith("kymo/_boot") and path == str(support.PACKAGE_DIR)
    assert set(seen) == {
        "KYMO_RUN_DIR",
        "KYMO_PYTHON_OPTIONS",
        "PYTHONPATH",
        "KYMO_OUTPUT_PATH",
        "KYMO_TIME_OUTPUT",
    }


def test_environment_is_clean_again_after_the_recording(place, python):
    text = "import kymo\nkymo.finalize()\n" + textwrap.dedent(ENVIRONMENT)
    seen = json.loads(run_program(place, python, text).stdout)
    assert set(seen) == {"PYTHONPATH", "KYMO_OUTPUT_PATH", "KYMO_TIME_OUTPUT"}
    assert seen["PYTHONPATH"] == str(support.PACKAGE_DIR)


def test_children_take_over_filters_and_labels(place, python):
    text = """
        import subprocess, sys
        def quiet(): pass
        code = "from program import quiet; from common import work; quiet(); work(7)"
        if __name__ == "__main__":
            subprocess.check_call([sys.executable, "-c", code])
        """
    result = run_program(
        place, python, text, options=["--label", "args", "-R", "^work$", "x y", "--"]
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert support.region_calls(place / "out") == {"work(n=7)": 1}


def test_children_of_builtin_mode_know_the_builtins(place, python):
    text = """
        import multiprocessing
        @profile
        def job(n):
            return work(n)
        def main():
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                print(pool.map(job, range(4)))
                pool.close()
                pool.join()
        if __name__ == "__main__":
            main()
        """
    result = run_program(place, python, text, options=["-b"])
    assert (result.returncode, result.stderr) == (0, "")
    calls = support.region_calls(place / "out")
    assert calls["job"] == calls["work"] == 4
    assert "main" not in calls


def test_child_of_a_program_that_profiles_itself_joins_its_run(place, python):
    text = """
        import multiprocessing
        import kymo
        @kymo.profile()
        def job(n):
            return work(n)
        def main():
            job(0)
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                pool.map(job, range(4))
                pool.close()
                pool.join()
        if __name__ == "__main__":
            main()
        """
    (place / "program.py").write_text("from common import work\n" + textwrap.dedent(text))
    result = support.run_bare_python(
        python,
        ["program.py"],
        cwd=place,
        env={
            "PYTHONPATH": support.PACKAGE_DIR,
            "KYMO_OUTPUT_PATH": place / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_QUIET": "ON",
        },
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert support.region_calls(place / "out")["job"] == 5
    assert "main" not in support.region_calls(place / "out")


def test_child_whose_run_is_gone_runs_on(place, python):
    environment = {
        "KYMO_RUN_DIR": place / "gone",
        "KYMO_PYTHON_OPTIONS": "record-all",
        "PYTHONPATH": support.PACKAGE_DIR / "kymo" / "_boot",
    }
    result = support.run_bare_python(python, ["-c", "print(1)"], cwd=place, env=environment)
    assert (result.returncode, result.stdout, result.stderr) == (0, "1\n", "")


def test_child_without_a_native_module_runs_on_and_is_named(place, python):
    package = place / "copy" / "kymo"
    shutil.copytree(support.PACKAGE_DIR / "kymo", package, ignore=shutil.ignore_patterns("*.so"))
    (place / "run").mkdir()
    environment = {
        "KYMO_RUN_DIR": place / "run",
        "KYMO_PYTHON_OPTIONS": "record-all",
        "PYTHONPATH": package / "_boot",
    }
    result = support.run_bare_python(python, ["-c", "print(1)"], cwd=place, env=environment)
    assert (result.returncode, result.stdout) == (0, "1\n")
    assert result.stderr.count("\n") == 1
    assert f"is not recorded: Kymo has no native module for Python {python}" in result.stderr

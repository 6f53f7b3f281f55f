"""What happens before Kymo's own constructor, after main, and to libraries that come and go."""

import native_support as native
import pytest
import support


@pytest.fixture(params=native.MODES)
def options(request):
    return native.MODES[request.param]


EARLY = ("hostile_early.c",)
PROGRAMS = {
    "bare": (EARLY, None),
    "malloc linked": ((*EARLY, "hostile_early_malloc.c"), None),
    "malloc preloaded": (EARLY, "hostile_early_malloc.c"),
    "linked at once": ((*EARLY, "-Wl,-z,now"), None),
    "malloc with regions": ((*EARLY, "hostile_early_malloc.c", "-Wl,-z,now"), None),
}


def library(source, *flags):
    return native.compile(source, "-shared", "-fPIC", *flags)


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("keys", ["left", "keys taken"])
def test_before_constructors(tmp_path, options, kind, keys):
    """Threads, forks and locks in .preinit_array, in resolvers, in a malloc that takes a lock."""
    sources, preloaded = PROGRAMS[kind]
    env = {"LD_PRELOAD": library(preloaded)} if preloaded else {}
    both = native.Both([native.compile(*sources), keys], tmp_path, options, status=4, env=env)
    if keys == "left" or both.recordings:
        main = [r for r in both.recordings if r.header.parent_start_ns == 0]
        assert len(main) == 1 and main[0].header.exit_status == 4
        # What was before the constructor cannot be seen; the rest can: main, atexit, destructor.
        assert both.calls["start_thread"] >= 2
    else:
        assert len(both.said) == 1 or both.losses()


def test_thread_keys(tmp_path, options):
    """The program takes all keys that are left, and has threads after that."""
    both = native.Both([native.compile("hostile_threads.c"), "keys"], tmp_path, options)
    assert both.states() == {native.STATE_CLOSED: 1}
    assert both.threads() == 11


def tls_users(sizes):
    """Libraries that take room for static thread-local storage."""
    return [
        library("hostile_tls_user.c", f"-DSIZE={size}", f"-DNUMBER={number}")
        for number, size in enumerate(sizes)
    ]


TO_THE_LAST_BYTE = [512, 256, 256, 128, 128, 128, 64, 64, 64, 32, 32, 16, 16, *[8] * 7]


def test_static_tls_is_left_to_the_program(tmp_path, options):
    """Kymo takes none of what libraries that are loaded later may use."""
    last, *users = tls_users([512] * 8)
    both = native.Both([native.compile("hostile_tls.c"), last, *users], tmp_path, options)
    assert "last: loaded" not in both.bare.stdout  # the room was used up
    assert both.states() == {native.STATE_CLOSED: 1}


def test_opened_late_without_static_tls(tmp_path):
    """The runtime cannot be loaded then: an error like any other, and the program goes on."""
    program = [
        native.compile("hostile_tls.c"),
        native.LIBRARIES / "libkymo.so",
        *tls_users(TO_THE_LAST_BYTE),
    ]
    process = native.run_bare(program, tmp_path)
    assert process.returncode == 5
    assert "static TLS" in process.stdout
    assert process.stderr == "" and support.find_recordings(tmp_path) == []


def test_python_without_static_tls(newest_python, tmp_path):
    """Importing the package fails as an import does."""
    script = tmp_path / "script.py"
    script.write_text(
        "import ctypes, sys\n"
        "for path in sys.argv[1:]:\n"
        "    try:\n        ctypes.CDLL(path)\n    except OSError:\n        pass\n"
        "try:\n    import kymo\n    kymo.start()\n    kymo.stop()\n"
        "except Exception as error:\n    print(type(error).__name__)\n"
        "print('going on')\n"
    )
    process = support.run(
        [newest_python.executable, script, *tls_users(TO_THE_LAST_BYTE)],
        cwd=tmp_path,
        env={"PYTHONPATH": support.PACKAGE_DIR, "KYMO_OUTPUT_PATH": tmp_path / "out"},
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.endswith("going on\n")


@pytest.mark.parametrize("flags", [(), ("-Wl,-z,now", "-O2")])
def test_libraries_with_regions(tmp_path, options, flags):
    """dlopen and dlclose in a loop, in several threads, also of what left regions open."""
    plugin = library("hostile_plugin.c", *flags)
    both = native.Both([native.compile("hostile_plugins.c"), plugin], tmp_path, options)
    assert both.states() == {native.STATE_CLOSED: 1}
    calls = both.calls
    assert calls["main"] == 1
    assert calls["plugin, static name"] == calls["plugin, any name"] == 400
    assert calls["plugin, left open"] == 10

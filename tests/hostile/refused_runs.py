"""A program whose recording is refused something, beside its bare run."""

import hostile_support as hostile
import support

PROGRAM = support.program("steady_work.py")
TRACE = {"KYMO_TRACE": "ON"}


def run_both(python, cwd, env=None, args=(), wrapper=(), **options):
    """The program's run under Kymo; it must not differ from the bare interpreter's."""
    bare_dir = cwd / "bare"
    bare_dir.mkdir(exist_ok=True)
    bare = hostile.run_bare(python, [PROGRAM, *args], bare_dir, wrapper=wrapper, **options)
    profiled = hostile.run(python, [PROGRAM, *args], cwd, env, wrapper=wrapper, **options)
    hostile.assert_undisturbed(bare, profiled)
    assert bare.returncode == 5
    return profiled

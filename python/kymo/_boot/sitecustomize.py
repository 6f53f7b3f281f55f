# Found first on PYTHONPATH by Python processes that a recorded program starts: joins the
# run, then imports the sitecustomize that would have been found without it.  Any Python
# may run this, so the syntax is that of all versions.
# mypy: ignore-errors
# ruff: noqa: RUF005, UP031, UP036
import os
import sys


def _make_way():
    """Take this folder off sys.path; the program must not see it."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if os.path.abspath(each) != here]
    sys.path_importer_cache.pop(here, None)
    return os.path.dirname(os.path.dirname(here))


def _join(root):
    if sys.version_info < (3, 8):
        sys.stderr.write(
            "kymo: the child process %d is not recorded: Python %d.%d is too old\n"
            % ((os.getpid(),) + tuple(sys.version_info[:2]))
        )
        return
    sys.path.insert(0, root)
    try:
        from kymo import _children

        _children.join()
    except Exception as error:
        sys.stderr.write(
            "kymo: the child process %d is not recorded: %s\n"
            % (os.getpid(), ascii(str(error))[1:-1])  # what names are in it may hold anything
        )
    finally:
        sys.path.remove(root)


_root = _make_way()
if os.path.isdir(os.environ.get("KYMO_RUN_DIR", "")):
    _join(_root)

# The import system takes what is in sys.modules afterwards as the result of this import;
# without another sitecustomize, the ImportError is what site expects.
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402, F401

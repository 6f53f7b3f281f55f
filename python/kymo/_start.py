# The script that kymo-python passes to the interpreter: `python -m kymo` without the current
# folder on sys.path.  `-m` puts it there and then imports runpy and its dependencies, so that a
# file such as ./types.py would be run instead of the standard library's, and a ./kymo.py
# instead of Kymo.  Only modules that every interpreter has loaded by now may be imported here.
import os
import sys

_root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_has_own_entry = not getattr(sys.flags, "safe_path", sys.flags.isolated)
if _has_own_entry:
    sys.path[0] = _root  # this file's folder, which main() removes
else:
    sys.path.insert(0, _root)

from kymo._launcher import main  # noqa: E402

if not _has_own_entry:
    del sys.path[0]
main()

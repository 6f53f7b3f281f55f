"""Print the facts that the build needs about the interpreter that runs this, one per line.

Run by cmake/KymoPython.cmake with every interpreter found.  Plain Python so that any
version answers; what is not CPython answers with its own name and is passed over.
"""

import os
import sys
import sysconfig

include = sysconfig.get_paths()["include"]
has_headers = os.path.isfile(os.path.join(include, "Python.h"))
facts = [
    sys.implementation.name if sys.version_info >= (3,) else "Python 2",
    sysconfig.get_python_version(),
    sysconfig.get_config_var("EXT_SUFFIX") or "",
    include,
    "headers" if has_headers else "bare",
    "free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else "gil",
    sys.executable,
]
print("\n".join(facts))

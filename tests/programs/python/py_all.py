"""Every case of the programs that need no package, one after the other."""

import py_async
import py_callbacks
import py_calls
import py_codes
import py_generators
import py_threads

for each in (py_calls, py_generators, py_async, py_callbacks, py_codes, py_threads):
    each.main()

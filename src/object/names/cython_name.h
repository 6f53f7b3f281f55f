/* Source names of functions that Cython compiled.
 *
 * Cython encodes the scopes of a function in the linker's name, each after its length, and often a
 * number: "__pyx_pw_3pkg_4busy_5Wheel_3turn" is pkg.busy.Wheel.turn.  A number before a name can
 * look like the length of a scope; the fixed structure of each kind resolves that, except for the
 * implementation of a Python function ("__pyx_pf_"), where the likelier reading is used.  No state;
 * any thread. */
#ifndef KYMO_CYTHON_NAME_H
#define KYMO_CYTHON_NAME_H

#include <stdbool.h>

/* "pkg.busy.Wheel.turn", "busy.<module>" for the code of a module; the caller frees.  Anything from
 * an opening parenthesis on, as C++ has it, is dropped.  file: the path of the module, whose name
 * is one of the scopes; NULL = not known.  NULL: not such a function, or no memory. */
char *cython_name(const char *linker_name, const char *file);

/* Whether both are compiled from one Python function, of which wrapper parses the arguments for
 * implementation.  Both are linkers' names. */
bool cython_is_wrapper_of(const char *wrapper, const char *implementation);

#endif

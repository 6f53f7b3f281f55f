/* What functions that Cython compiled are called in the source.
 *
 * Cython puts into the linker's name the scopes of a function, each with its length in front,
 * and often a number: "__pyx_pw_3pkg_4busy_5Wheel_3turn" is pkg.busy.Wheel.turn.  A number in
 * front of a name can look like the length of a scope; what the names of each sort always have
 * tells them apart, but for the implementation of a Python function ("__pyx_pf_"), where the
 * likelier one is taken.  No state; any thread. */
#ifndef KYMO_CYTHON_NAME_H
#define KYMO_CYTHON_NAME_H

#include <stdbool.h>

/* "pkg.busy.Wheel.turn", "busy.<module>" for the code of a module; the caller frees.  What
 * follows an opening bracket, as C++ has it, is left out.  file: the path of the module, whose
 * name is one of the scopes; NULL = not known.  NULL: not such a function, or no memory. */
char *cython_name(const char *linker_name, const char *file);

/* Whether one function of Python is compiled to both, one taking arguments apart for the other.
 * Both are linkers' names. */
bool cython_is_wrapper_of(const char *wrapper, const char *implementation);

#endif

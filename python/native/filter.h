/* Which functions are recorded: the lists of patterns and the order they are asked in.
 * Patterns are POSIX extended regular expressions, searched for (as egrep does). */
#ifndef KYMO_FILTER_H
#define KYMO_FILTER_H

#include "codecache.h"

/* Take the lists and switches from a dict; absent keys keep their values.  0, or -1 with
 * ValueError naming the list and the pattern; then nothing has changed. */
int filter_configure(PyObject *config);

/* Once per code object. */
enum code_action filter_decide(PyCodeObject *code);
/* For a C function by its name and module (either may be NULL). */
enum code_action filter_decide_c(const char *name, const char *module);

/* Whether the package's own functions are recorded. */
bool filter_includes_internal(void);

#endif

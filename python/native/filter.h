/* Which functions are recorded: the lists of patterns and the order they are asked in.
 * Patterns are POSIX extended regular expressions, searched for (as egrep does). */
#ifndef KYMO_FILTER_H
#define KYMO_FILTER_H

#include "codecache.h"

/* Take the lists and switches from a dict; absent keys keep their values.  0, or -1 with
 * ValueError naming the list and the pattern; then nothing has changed. */
int filter_configure(PyObject *config);

/* Once per code object.  Imports are one function to the lists of functions, FILTER_IMPORT; the
 * rest of the machinery behind them is left out like files of the module exclude list. */
#define FILTER_IMPORT "import"
enum code_action filter_decide(PyCodeObject *code);
/* For a C function; CODE_UNDECIDED = the module of its caller decides. */
enum code_action filter_decide_c(const char *name);
/* What the module of a caller decides about the C functions it calls. */
bool filter_drops_c_calls(PyCodeObject *caller);

/* Whether the package's own functions are recorded. */
bool filter_includes_internal(void);

#endif

/* Which functions are recorded: the pattern lists and their precedence.  Patterns are POSIX
 * extended regular expressions that match anywhere (as in egrep). */
#ifndef KYMO_FILTER_H
#define KYMO_FILTER_H

#include "codecache.h"

/* Take the lists and switches from a dict; absent keys keep their values.  0, or -1 with a
 * ValueError that names the list and the pattern; then nothing has changed. */
int filter_configure(PyObject *config);

/* Once per code object.  For the function lists imports are one function, FILTER_IMPORT; the rest
 * of the import machinery is dropped like files of the module exclude list. */
#define FILTER_IMPORT "import"
enum code_action filter_decide(PyCodeObject *code);
/* For a C function; CODE_UNDECIDED = the module of its caller decides. */
enum code_action filter_decide_c(const char *name);
/* Whether the module of a caller drops the C functions it calls. */
bool filter_drops_c_calls(PyCodeObject *caller);

/* Whether the package's own functions are recorded. */
bool filter_includes_internal(void);

#endif

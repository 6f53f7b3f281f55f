/* The interpreter of this process: the program itself, a shared libpython, or whatever module
 * has an interpreter linked in, and exports it. */
#ifndef KYMO_PYRUNTIME_SELF_H
#define KYMO_PYRUNTIME_SELF_H

#include <stdbool.h>

struct pyruntime;

/* The interpreter in this process, once it is initialised: from the symbols that the modules
 * in memory export, whatever scope they were loaded into.  False: there is none (yet, or any
 * more), or one whose layout is not known; *reason_out then is constant text or NULL.
 * Reads the list of mappings and looks into each module: some 100 us.  Context: any. */
bool pyruntime_self(struct pyruntime *out, const char **reason_out);

/* The first of its two steps, the other being pyruntime_is_ready(): what is exported, which is all
 * there before Py_Initialize(). */
bool pyruntime_find(struct pyruntime *out, const char **reason_out);

#endif

/* The interpreter of this process: the program itself, a shared libpython, or any module that has
 * an interpreter linked in, and exports it. */
#ifndef KYMO_PYRUNTIME_SELF_H
#define KYMO_PYRUNTIME_SELF_H

#include <stdbool.h>

struct pyruntime;

/* The interpreter in this process, once it is initialised: by the exported symbols of all modules
 * in memory, whatever scope they were loaded into.  False: there is none (yet, or any more), or one
 * with an unsupported layout; *reason_out then is constant text or NULL. Reads the memory map and
 * each module's symbols: some 100 us.  Context: any. */
bool pyruntime_self(struct pyruntime *out, const char **reason_out);

/* The first of its two steps, the other being pyruntime_is_ready(): by exported symbols, also
 * before Py_Initialize(). */
bool pyruntime_find(struct pyruntime *out, const char **reason_out);

#endif

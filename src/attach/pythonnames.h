/* What Python calls its threads, as the module threading has it.
 * The caller owns the struct.  One thread; uses malloc. */
#ifndef KYMO_PYTHONNAMES_H
#define KYMO_PYTHONNAMES_H

#include "attach/pythonthreads.h"

#define PYTHONNAMES_SIZE 64u

struct pythonname {
	uint64_t handle; /* of the thread, as thread states have it */
	char name[PYTHONNAMES_SIZE];
};

struct pythonnames {
	struct pythonname *names;
	size_t count, capacity;
};

/* Those of all interpreters in which threads of the list are.  What cannot be read just now is
 * missing. */
void pythonnames_read(struct pythonnames *names, const struct pythontarget *python,
		      const struct pymemory *memory, const struct pythonthreads *threads);
/* NULL = none is known. */
const char *pythonnames_find(const struct pythonnames *names, uint64_t handle);
void pythonnames_release(struct pythonnames *names);

#endif

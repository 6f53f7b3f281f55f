/* Names of Python's threads, from the module threading.  The caller owns the struct.  One thread;
 * uses malloc. */
#ifndef KYMO_PYTHONNAMES_H
#define KYMO_PYTHONNAMES_H

#include "attach/python/pythonthreads.h"

#define PYTHONNAMES_SIZE 64u

struct pythonname {
	uint64_t handle; /* of the thread, as thread states have it */
	char name[PYTHONNAMES_SIZE];
};

#define PYTHONNAMES_INTERPRETERS 8u /* interpreters whose dictionary is remembered */

struct pythonnames {
	struct pythonname *names; /* by handle */
	size_t count, capacity;
	uint64_t read_ns; /* when they were last read, */
	uint64_t threads; /* and a hash of the threads at that time */
	struct {
		uint64_t interpreter, active; /* threading._active */
		uint64_t found_ns;
	} found[PYTHONNAMES_INTERPRETERS];
};

/* Names in all interpreters of the listed threads.  Read again when a thread is new, or after some
 * time.  Names that are unreadable at the moment are missing. */
void pythonnames_read(struct pythonnames *names, const struct pythontarget *python,
		      const struct pymemory *memory, const struct pythonthreads *threads,
		      uint64_t now_ns);
/* NULL = none is known. */
const char *pythonnames_find(const struct pythonnames *names, uint64_t handle);
void pythonnames_release(struct pythonnames *names);

#endif

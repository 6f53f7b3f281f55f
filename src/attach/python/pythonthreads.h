/* The interpreter's threads, and their ids in the kernel.  The caller owns the struct.  One thread;
 * uses malloc. */
#ifndef KYMO_PYTHONTHREADS_H
#define KYMO_PYTHONTHREADS_H

#include "attach/python/pythontarget.h"
#include "attach/target/targettasks.h"

struct pythonthread {
	uint64_t state;	      /* address of the thread state */
	uint64_t interpreter; /* of its interpreter */
	uint64_t handle;      /* pthread_t */
	pid_t id;	      /* of the thread in the kernel; 0 = not known (yet) */
};

struct pythonthreads {
	struct pythonthread *threads; /* newest first, in the interpreter's order */
	size_t count, capacity;
	int32_t id_offset; /* up to 3.10: offset of the id in what the handle points to; 0 = not
			    * known */
};

void pythonthreads_release(struct pythonthreads *threads);
/* False: the lists could not be followed; threads is unchanged then. */
bool pythonthreads_list(struct pythonthreads *threads, const struct pythontarget *python,
			const struct pymemory *memory, const struct targettasks *tasks);

/* Is a thread state among those of its interpreter now? */
bool pythonthreads_has(const struct pythontarget *python, const struct pymemory *memory,
		       uint64_t interpreter, uint64_t state);

#endif

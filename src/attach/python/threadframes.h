/* The addresses of the Python frames of a thread that was just observed, to read their contents.
 * The caller owns the struct.  One thread; uses malloc. */
#ifndef KYMO_THREADFRAMES_H
#define KYMO_THREADFRAMES_H

#include "attach/sample/watch.h"

struct threadframes { /* innermost first */
	size_t count;
	struct pyframe *frames;
	uint64_t *addresses; /* 0 = not known */
};

/* The frames of the observation, from the innermost on as far as they are unchanged.  False: there
 * are none. */
bool threadframes_read(struct threadframes *frames, struct watch *watch,
		       const struct watch_thread *thread);
void threadframes_release(struct threadframes *frames);
/* The frame's word in the watch, for its name; 0 = not known. */
uint64_t threadframes_word(const struct watch_thread *thread, size_t python_index);

#endif

/* A walk along the Python frames of one thread, in the making: pystack_walk.h begins it, and
 * pywalk_objects.h or pywalk_interpreter.h do it.  Context: any. */
#ifndef KYMO_PYWALK_H
#define KYMO_PYWALK_H

#include "pystack/pyread.h"

struct pywalk {
	const struct pyruntime *runtime;
	struct pyreader reader;
	const uint64_t *words; /* of the interrupted thread's registers */
	size_t word_count;
	bool is_outside; /* as pymemory has it */
	uint64_t thread;
	struct pyframe *frames;
	uint64_t *addresses; /* of the frames; NULL = not asked for */
	size_t capacity, count;
	/* Against cycles: a frame that was met, replaced at each power of two. */
	uint64_t met;
	size_t steps;
	/* Of a thread that runs on: the lower one of where its frames ended before they were read
	 * and then. */
	uint64_t low_end;
	unsigned char window[PYREAD_WINDOW];
};

/* True when the walk comes to a frame again, or has gone too far. */
bool pywalk_is_cycle(struct pywalk *walk, uint64_t frame);

/* The shape of a code object; false: it is none. */
bool pywalk_measure(const struct pyruntime *runtime, struct pyreader *reader, uint64_t code,
		    struct pycode_shape *out);

/* The same with a reader of its own. */
bool pycode_measure(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t code,
		    struct pycode_shape *out);

#endif

/* The state of a walk of one thread's Python frames: pystack_walk.h begins it, pywalk_objects.h or
 * pywalk_interpreter.h does it.  Context: any. */
#ifndef KYMO_PYWALK_H
#define KYMO_PYWALK_H

#include "pystack/pyread.h"

struct pywalk {
	const struct pyruntime *runtime;
	struct pyreader reader;
	const uint64_t *words; /* of the interrupted thread's registers */
	size_t word_count;
	bool is_outside; /* as in pymemory */
	uint64_t thread;
	struct pyframe *frames;
	uint64_t *addresses; /* of the frames; NULL = not requested */
	size_t capacity, count;
	/* Detects cycles: an earlier frame, replaced at each power of two. */
	uint64_t earlier;
	size_t steps;
	/* Of a running thread: the lower one of the ends of its frames' memory before they were
	 * read and now. */
	uint64_t low_end;
	unsigned char window[PYREAD_WINDOW];
};

/* True when the walk reaches a frame again, or is too long. */
bool pywalk_is_cycle(struct pywalk *walk, uint64_t frame);

/* The shape of a code object; false: it is none. */
bool pywalk_measure(const struct pyruntime *runtime, struct pyreader *reader, uint64_t code,
		    struct pycode_shape *out);

/* The same with a reader of its own. */
bool pycode_measure(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t code,
		    struct pycode_shape *out);

#endif

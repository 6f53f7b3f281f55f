/* A walk along the Python frames of one thread, in the making. */
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

/* PyFrameObjects, to 3.10. */
enum pystack_status pywalk_objects(struct pywalk *walk);
/* _PyInterpreterFrames, from 3.11 on. */
enum pystack_status pywalk_interpreter(struct pywalk *walk);

/* True when the walk comes to a frame again, or has gone too far. */
bool pywalk_is_cycle(struct pywalk *walk, uint64_t frame);

/* The shape of a code object; false: it is none. */
bool pywalk_measure(const struct pyruntime *runtime, struct pyreader *reader, uint64_t code,
		    struct pycode_shape *out);

#endif

/* The interpreter that Python code may run in, and the Python stack of a thread. */
#ifndef KYMO_SAMPLER_INTERPRETER_H
#define KYMO_SAMPLER_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pystack/merge/pymerge.h"
#include "runtime/hot.h"

struct sampled;
struct sampler_call;
struct sampler_scratch;

struct sampler_interpreter {
	struct pyruntime runtime;
	bool is_permanent; /* it was there from the start, and cannot be unloaded */
	struct pymerge_evaluation evaluation;
};

/* Context: init. */
void sampler_interpreter_init(void);
void sampler_interpreter_forked(void);
/* A module was met that was not known. */
void sampler_interpreter_news(void);
/* The interpreter that Python code may run in now, or NULL.  Context: signal. */
const struct sampler_interpreter *sampler_interpreter_now(void);
/* Why one that is there is not looked into, or NULL. */
const char *sampler_interpreter_obstacle(void);

struct sampler_python {
	const struct sampler_interpreter *interpreter; /* NULL = none */
	uint64_t thread;			       /* its state, 0 = none */
	size_t count;				       /* of its frames; 0 = none */
	bool is_cut;
	bool is_torn; /* it has frames, but how many is not known */
	enum kymo_gil_state gil;
};
/* The Python stack of the calling thread, whose native one is in the room.
 * Context: signal. */
void sampler_python_walk(struct sampled *self, struct sampler_scratch *room, const void *context,
			 const struct sampler_call *call, struct sampler_python *out);

/* Whether its name is to be looked at in this sample: seldom, and ever more so.  Context: signal.
 */
bool sampler_name_is_due(struct sampled *self);
/* Record the name that Python has for the thread, which is stopped.  Context: signal. */
void sampler_name_read(struct sampled *self, const struct pyruntime *runtime,
		       const struct pyframe *outermost, uint64_t address);

/* The frame's word; false: its code could not be recorded.  Context: signal. */
bool sampler_code_frame(const struct pyruntime *runtime, const struct pyframe *frame,
			uint64_t *frame_out);
void sampler_codes_forked(void);

#endif

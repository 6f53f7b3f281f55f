/* The Python stack of the interrupted thread, and its state with respect to the GIL. */
#ifndef KYMO_SAMPLER_PYTHON_H
#define KYMO_SAMPLER_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/hot.h"

struct sampler_thread;
struct sampler_call;
struct sampler_interpreter;
struct sampler_scratch;

struct sampler_python {
	const struct sampler_interpreter *interpreter; /* NULL = none */
	uint64_t thread;			       /* its state, 0 = none */
	size_t count;				       /* number of its frames; 0 = none */
	bool is_cut;
	bool is_torn; /* it has frames, but their number is unknown */
	enum kymo_gil_state gil;
};
/* The Python stack of the calling thread, whose native one is in scratch.  Context: signal. */
void sampler_python_walk(struct sampler_thread *self, struct sampler_scratch *scratch,
			 const void *context, const struct sampler_call *call,
			 struct sampler_python *out);

#endif

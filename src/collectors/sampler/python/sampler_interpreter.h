/* The interpreter that Python code may run in. */
#ifndef KYMO_SAMPLER_INTERPRETER_H
#define KYMO_SAMPLER_INTERPRETER_H

#include <stdbool.h>

#include "pystack/merge/pymerge.h"

struct sampler_interpreter {
	struct pyruntime runtime;
	bool is_permanent; /* it was present from the start, and cannot be unloaded */
	struct pymerge_evaluation evaluation;
};

/* Context: init. */
void sampler_interpreter_init(void);
void sampler_interpreter_forked(void);
/* An unknown module was seen. */
void sampler_interpreter_note_module(void);
/* The interpreter that Python code may run in now, or NULL.  Context: signal. */
const struct sampler_interpreter *sampler_interpreter_now(void);
/* Why an existing one is not read, or NULL. */
const char *sampler_interpreter_obstacle(void);

#endif

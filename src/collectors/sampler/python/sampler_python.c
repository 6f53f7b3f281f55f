/* The Python stack of the interrupted thread, and its state with respect to the GIL. */
#include "collectors/sampler/python/sampler_python.h"

#include "collectors/sampler/python/sampler_interpreter.h"
#include "collectors/sampler/python/sampler_names.h"
#include "collectors/sampler/sampler_call.h"
#include "collectors/sampler/sampler_kernel.h"
#include "collectors/sampler/sampler_notes.h"
#include "collectors/sampler/sampler_scratch.h"
#include "collectors/sampler/sampler_state.h"
#include "pystack/walk/pystack_walk.h"

static const struct pymemory own; /* reads this process's memory directly */

static enum kymo_gil_state python_gil_state(const struct pyruntime *runtime, uint64_t thread,
					    const struct sampler_call *call)
{
	struct pygil gil;

	if (!pygil_read(runtime, &own, thread, &gil))
		return KYMO_GIL_UNKNOWN;
	if (gil.holder == thread)
		return KYMO_GIL_HELD;
	/* A thread that drops it wakes the next one by such a call, too. */
	if (call->argument >= gil.address && call->argument < gil.address + gil.size &&
	    (sampler_call_is_wait(call) || (call->is_call && call->number == KYMO_FRAME_NO_CALL)))
		return KYMO_GIL_WAITED_FOR;
	return KYMO_GIL_NOT_HELD;
}

_Static_assert(SAMPLER_PATH_MAX >= SAMPLER_PYTHON_MAX, "the path has space for addresses");

/* Also reads the name of the thread from time to time.  The path is built from the frames later. */
static enum pystack_status python_walk(struct sampler_thread *self, const struct pyruntime *runtime,
				       const struct pymemory *interrupted, uint64_t thread,
				       struct sampler_scratch *scratch, size_t *count_out)
{
	bool is_due = sampler_name_is_due(self);
	uint64_t *addresses = is_due ? scratch->path : NULL;
	enum pystack_status status =
		pystack_walk_addresses(runtime, interrupted, thread, scratch->python, addresses,
				       SAMPLER_PYTHON_MAX, count_out);

	if (is_due && status == PYSTACK_OK)
		sampler_name_read(self, runtime, &scratch->python[*count_out - 1],
				  addresses[*count_out - 1]);
	return status;
}

void sampler_python_walk(struct sampler_thread *self, struct sampler_scratch *scratch,
			 const void *context, const struct sampler_call *call,
			 struct sampler_python *out)
{
	uint64_t words[UNWIND_WORDS_MAX];
	struct pymemory interrupted = {.words = words,
				       .word_count = unwind_words(context, words),
				       .system_id = self->system_id};
	const struct pyruntime *runtime;
	enum pystack_status status;
	uint64_t thread;

	*out = (struct sampler_python){.interpreter = sampler_interpreter_now()};
	if (!out->interpreter)
		return;
	runtime = &out->interpreter->runtime;
	thread = pyruntime_this_thread(runtime);
	if (!thread)
		return;
	out->thread = thread;
	out->gil = python_gil_state(runtime, thread, call);
	interrupted.is_outside =
		out->interpreter->evaluation.count > 0 &&
		!pymerge_is_evaluation(&out->interpreter->evaluation, &scratch->native[0]);
	status = python_walk(self, runtime, &interrupted, thread, scratch, &out->count);
	out->is_torn = status == PYSTACK_TORN;
	if (out->is_torn)
		__atomic_add_fetch(&sampler_totals.torn, 1, __ATOMIC_RELAXED);
	if (status != PYSTACK_OK && status != PYSTACK_CUT)
		out->count = 0;
	out->is_cut = status == PYSTACK_CUT;
}

/* Walks: the common part for both kinds of frames.  A thread that walks its own stack cannot change
 * it concurrently.  What can is Python's finalisation in another thread: it frees the states of
 * remaining threads, and with them the memory of their frames.  Therefore a thread that does not
 * hold the GIL copies its frames by system call; the holder cannot lose them. */
#include "pystack/walk/pystack_walk.h"

#include <pthread.h>

#include "pystack/pygil.h"
#include "pystack/pymemory.h"
#include "pystack/pystack.h"
#include "pystack/walk/pywalk.h"
#include "pystack/walk/pywalk_interpreter.h"
#include "pystack/walk/pywalk_objects.h"

typedef void *(*this_thread_fn)(void);

/* The interpreter of this state, which is its thread's, is the only one. */
static bool is_only_one(const struct pyruntime *runtime, struct pyreader *reader, uint64_t thread)
{
	const struct pylayout *layout = &runtime->layout;
	uint64_t own, newest, next;

	return pyread_word(reader, thread + layout->thread.interp, &own) &&
	       pyread_word(reader, runtime->runtime + layout->runtime.interpreters_head, &newest) &&
	       own == newest && pyread_is_object(own) &&
	       pyread_word(reader, own + layout->interpreter.next, &next) && next == 0;
}

/* Up to 3.11 a thread that has entered a subinterpreter still gets its first state: there the state
 * that holds the GIL is used, if it is this thread's.  Another thread's may be freed
 * concurrently. */
static uint64_t prefer_holder(const struct pyruntime *runtime, uint64_t thread)
{
	const struct pylayout *layout = &runtime->layout;
	uint64_t holder, id;
	struct pyreader reader;

	pyreader_begin(&reader, NULL);
	if (!pyread_word(&reader, runtime->runtime + layout->runtime.tstate_current, &holder) ||
	    holder == thread || !pyread_is_object(holder) ||
	    is_only_one(runtime, &reader, thread) ||
	    !pyread_checked(&reader, holder + layout->thread.thread_id, &id, sizeof(id)) ||
	    id != (uint64_t)pthread_self())
		return thread;
	return holder;
}

uint64_t pyruntime_this_thread(const struct pyruntime *runtime)
{
	this_thread_fn function = (this_thread_fn)(uintptr_t)runtime->this_thread;
	uint64_t thread = function ? (uint64_t)(uintptr_t)function() : 0;

	if (thread && runtime->layout.runtime.tstate_current != PYLAYOUT_NONE)
		thread = prefer_holder(runtime, thread);
	return thread;
}

/* False if Python is finalising, and this is not the thread that does it. */
static bool is_alive(struct pywalk *walk)
{
	const struct pyruntime *runtime = walk->runtime;
	uint64_t finalizing;

	return pyread_word(&walk->reader, runtime->runtime + runtime->layout.runtime.finalizing,
			   &finalizing) &&
	       (finalizing == 0 || finalizing == walk->thread);
}

/* Decide how the frames of this process are read. */
static bool prepare_own(struct pywalk *walk)
{
	const struct pylayout *layout = &walk->runtime->layout;
	uint64_t gil, holder, chunk, top;

	if (!is_alive(walk))
		return false;
	if (layout->thread.datastack_top == PYLAYOUT_NONE)
		return true;
	if (!pyread_word(&walk->reader, walk->thread + layout->thread.datastack_chunk, &chunk))
		return false;
	if (!pyread_is_object(chunk)) /* no frame so far */
		return true;
	if (!pyread_word(&walk->reader, walk->thread + layout->thread.datastack_top, &top) ||
	    top < chunk)
		return false;
	gil = pygil_address(walk->runtime, &walk->reader, walk->thread);
	if (gil && pygil_holder(walk->runtime, &walk->reader, gil, &holder) &&
	    holder == walk->thread) {
		walk->reader.mapped_low = chunk;
		walk->reader.mapped_high = top;
		return true;
	}
	walk->reader.window = walk->window;
	walk->reader.guarded_low = chunk;
	walk->reader.guarded_high = top;
	return true;
}

enum pystack_status pystack_walk(const struct pyruntime *runtime, const struct pymemory *memory,
				 uint64_t thread, struct pyframe *frames, size_t capacity,
				 size_t *count_out)
{
	return pystack_walk_addresses(runtime, memory, thread, frames, NULL, capacity, count_out);
}

enum pystack_status pystack_walk_addresses(const struct pyruntime *runtime,
					   const struct pymemory *memory, uint64_t thread,
					   struct pyframe *frames, uint64_t *addresses,
					   size_t capacity, size_t *count_out)
{
	struct pywalk walk;
	enum pystack_status status;

	*count_out = 0;
	if (!thread)
		return PYSTACK_NONE;
	if (!pyread_is_object(thread))
		return PYSTACK_TORN;
	walk.runtime = runtime;
	walk.thread = thread;
	walk.frames = frames;
	walk.addresses = addresses;
	walk.capacity = capacity;
	walk.count = 0;
	walk.earlier = 0;
	walk.steps = 0;
	walk.words = memory ? memory->words : NULL;
	walk.word_count = walk.words ? memory->word_count : 0;
	walk.is_outside = memory && memory->is_outside;
	pyreader_begin(&walk.reader, memory);
	if (!walk.reader.memory && !prepare_own(&walk))
		return PYSTACK_NONE;
	status = runtime->layout.thread.frame != PYLAYOUT_NONE ? pywalk_objects(&walk)
							       : pywalk_interpreter(&walk);
	if (status == PYSTACK_OK && walk.count == 0)
		status = PYSTACK_NONE;
	if (status == PYSTACK_OK || status == PYSTACK_CUT)
		*count_out = walk.count;
	return status;
}

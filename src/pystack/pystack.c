/* Walks: what both kinds of frames have in common.
 * The thread that walks its own stack cannot change it meanwhile.  What can is Python's end
 * in another thread: it frees the states of threads that are left, and with them the memory
 * that frames are in.  A thread that does not hold the GIL therefore copies its frames by
 * system call; the one that does cannot lose them. */
#include "pystack/pystack.h"

#include "pystack/pygil.h"
#include "pystack/pywalk.h"

#define STEPS_MAX (1u << 20)
#define CODE_MAX  (UINT64_C(1) << 30)

typedef void *(*this_thread_fn)(void);

uint64_t pyruntime_this_thread(const struct pyruntime *runtime)
{
	this_thread_fn function = (this_thread_fn)(uintptr_t)runtime->this_thread;

	return function ? (uint64_t)(uintptr_t)function() : 0;
}

bool pywalk_is_cycle(struct pywalk *walk, uint64_t frame)
{
	if (frame == walk->met || ++walk->steps > STEPS_MAX)
		return true;
	if ((walk->steps & (walk->steps - 1)) == 0)
		walk->met = frame;
	return false;
}

bool pywalk_is_code(struct pywalk *walk, uint64_t code, uint64_t *size_out)
{
	const struct pylayout *layout = &walk->runtime->layout;
	unsigned char head[24]; /* counts, type; size in units from 3.11 on */
	uint64_t size = 0;

	if (!pyread_is_object(code) || !pyread(&walk->reader, code, head, sizeof(head)))
		return false;
	if (walk->runtime->code_type &&
	    pyread_field(head, layout->object.type) != walk->runtime->code_type)
		return false;
	if (layout->frame.instruction_is_pointer) {
		size = pyread_field(head, layout->object.bytes_size);
		if (size == 0 || size > CODE_MAX)
			return false;
	}
	*size_out = size * layout->frame.instruction_unit;
	return true;
}

/* False where Python is ending, and this is not the thread that ends it. */
static bool is_alive(struct pywalk *walk)
{
	const struct pyruntime *runtime = walk->runtime;
	uint64_t finalizing;

	return pyread_word(&walk->reader, runtime->runtime + runtime->layout.runtime.finalizing,
			   &finalizing) &&
	       (finalizing == 0 || finalizing == walk->thread);
}

/* Decide how the frames of the own process are read. */
static bool prepare_own(struct pywalk *walk)
{
	const struct pylayout *layout = &walk->runtime->layout;
	uint64_t gil, holder, chunk, size;

	if (!is_alive(walk))
		return false;
	if (layout->thread.datastack_chunk == PYLAYOUT_NONE)
		return true;
	if (!pyread_word(&walk->reader, walk->thread + layout->thread.datastack_chunk, &chunk))
		return false;
	if (!pyread_is_object(chunk)) /* no frame so far */
		return true;
	gil = pygil_address(walk->runtime, &walk->reader, walk->thread);
	if (gil && pygil_holder(walk->runtime, &walk->reader, gil, &holder) &&
	    holder == walk->thread) {
		if (!pyread_word(&walk->reader, chunk + layout->chunk.size, &size))
			return false;
		walk->reader.sure_low = chunk;
		walk->reader.sure_high = chunk + size;
		return true;
	}
	if (!pyread_checked(&walk->reader, chunk + layout->chunk.size, &size, sizeof(size)))
		return false;
	walk->reader.window = walk->window;
	walk->reader.guarded_low = chunk;
	walk->reader.guarded_high = chunk + size;
	return true;
}

enum pystack_status pystack_walk(const struct pyruntime *runtime, const struct pymemory *memory,
				 uint64_t thread, struct pyframe *frames, size_t capacity,
				 size_t *count_out)
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
	walk.capacity = capacity;
	walk.count = 0;
	walk.met = 0;
	walk.steps = 0;
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

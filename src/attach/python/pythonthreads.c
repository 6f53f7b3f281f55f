/* From 3.11 on a thread state has the kernel's id.  Before, it has the handle of the thread
 * library, which points to a struct that contains the id at an unknown offset: the one at which all
 * threads have an id of theirs. */
#include "attach/python/pythonthreads.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define THREADS_MAX	 65536u
#define INTERPRETERS_MAX 1024u
#define HANDLE_BYTES	 1024u
#define PROOFS_MAX	 512u  /* threads used to verify the id's offset */
#define GLIBC_OFFSET	 0x2d0 /* x86-64, all versions of the last ten years */

void pythonthreads_release(struct pythonthreads *threads)
{
	free(threads->threads);
	*threads = (struct pythonthreads){0};
}

static bool pythonthreads_read_word(const struct pymemory *memory, uint64_t address, uint64_t *out)
{
	return memory->read(memory->context, address, out, sizeof(*out));
}

static struct pythonthread *pythonthreads_add(struct pythonthreads *list)
{
	struct pythonthread *grown =
		array_grow(list->threads, &list->capacity, list->count + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	list->threads = grown;
	grown[list->count] = (struct pythonthread){0};
	return &grown[list->count++];
}

static bool add_state(struct pythonthreads *list, const struct pylayout *layout,
		      const struct pymemory *memory, uint64_t state, uint64_t interpreter,
		      const struct targettasks *tasks)
{
	struct pythonthread *thread;
	uint64_t owner, id;

	if (!pythonthreads_read_word(memory, state + layout->thread.interp, &owner) ||
	    owner != interpreter)
		return false;
	thread = pythonthreads_add(list);
	if (!thread ||
	    !pythonthreads_read_word(memory, state + layout->thread.thread_id, &thread->handle))
		return false;
	thread->state = state;
	thread->interpreter = interpreter;
	if (layout->thread.native_thread_id == PYLAYOUT_NONE)
		return true;
	if (!pythonthreads_read_word(memory, state + layout->thread.native_thread_id, &id))
		return false;
	thread->id = targettasks_find(tasks, (pid_t)id);
	return true;
}

/* Each state points to the one created before it: a cyclic list is invalid. */
static bool is_cycle(const struct pythonthreads *list, size_t first, uint64_t state)
{
	/* The state to compare with is replaced at each power of two: this detects every cycle. */
	size_t length = list->count - first, at = 1;

	while (2 * at <= length)
		at *= 2;
	return length > 0 && list->threads[first + at - 1].state == state;
}

static bool add_interpreter(struct pythonthreads *list, const struct pylayout *layout,
			    const struct pymemory *memory, uint64_t interpreter,
			    const struct targettasks *tasks)
{
	const size_t first = list->count;
	uint64_t state;

	if (!pythonthreads_read_word(memory, interpreter + layout->interpreter.threads_head,
				     &state))
		return false;
	while (state) {
		if (list->count >= THREADS_MAX || is_cycle(list, first, state) ||
		    !add_state(list, layout, memory, state, interpreter, tasks) ||
		    !pythonthreads_read_word(memory, state + layout->thread.next, &state))
			return false;
	}
	return true;
}

static bool read_id(const struct pymemory *memory, uint64_t handle, int32_t offset, int32_t *out)
{
	return memory->read(memory->context, handle + (uint64_t)offset, out, sizeof(*out));
}

/* All threads, of many the first, have an id of this process there, all of them different.  Each is
 * read once, into the list. */
static bool is_id_offset(const struct pythonthreads *list, const struct pymemory *memory,
			 const struct targettasks *tasks, int32_t offset)
{
	for (size_t i = 0; i < list->count && i < PROOFS_MAX; i++) {
		struct pythonthread *thread = &list->threads[i];
		int32_t id;

		if (!read_id(memory, thread->handle, offset, &id) || !targettasks_find(tasks, id))
			return false;
		thread->id = id;
		for (size_t k = 0; k < i; k++)
			if (list->threads[k].handle != thread->handle && list->threads[k].id == id)
				return false;
	}
	return list->count > 0;
}

static int32_t find_id_offset(const struct pythonthreads *list, const struct pymemory *memory,
			      const struct targettasks *tasks)
{
	if (is_id_offset(list, memory, tasks, GLIBC_OFFSET))
		return GLIBC_OFFSET;
	for (int32_t offset = 4; offset < (int32_t)HANDLE_BYTES; offset += 4)
		if (is_id_offset(list, memory, tasks, offset))
			return offset;
	return 0;
}

static void learn_ids(struct pythonthreads *list, const struct pymemory *memory,
		      const struct targettasks *tasks)
{
	int32_t id;

	if (list->id_offset == 0)
		list->id_offset = find_id_offset(list, memory, tasks);
	for (size_t i = 0; i < list->count; i++) {
		list->threads[i].id = 0;
		if (list->id_offset &&
		    read_id(memory, list->threads[i].handle, list->id_offset, &id))
			list->threads[i].id = targettasks_find(tasks, id);
	}
}

/* A state that is being created has the id of its creator: of two with one id the older is the
 * thread's own, until the new thread has stored its own id.  (Threads that call into several
 * interpreters have several states: all but one are not running.) */
static void drop_doubles(struct pythonthreads *list)
{
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = i + 1; k < list->count; k++)
			if (list->threads[i].id && list->threads[i].id == list->threads[k].id &&
			    list->threads[i].interpreter == list->threads[k].interpreter)
				list->threads[i].id = 0;
}

bool pythonthreads_list(struct pythonthreads *list, const struct pythontarget *python,
			const struct pymemory *memory, const struct targettasks *tasks)
{
	const struct pylayout *layout = &python->runtime.layout;
	struct pythonthreads made = {.id_offset = list->id_offset};
	uint64_t interpreter;
	unsigned count = 0;
	bool is_whole = pythonthreads_read_word(
		memory, python->runtime.runtime + layout->runtime.interpreters_head, &interpreter);

	while (is_whole && interpreter && count++ < INTERPRETERS_MAX)
		is_whole = add_interpreter(&made, layout, memory, interpreter, tasks) &&
			   pythonthreads_read_word(memory, interpreter + layout->interpreter.next,
						   &interpreter);
	if (!is_whole || made.count == 0) {
		pythonthreads_release(&made);
		return false;
	}
	if (layout->thread.native_thread_id == PYLAYOUT_NONE)
		learn_ids(&made, memory, tasks);
	drop_doubles(&made);
	free(list->threads);
	*list = made;
	return true;
}

bool pythonthreads_has(const struct pythontarget *python, const struct pymemory *memory,
		       uint64_t interpreter, uint64_t state)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t at;

	if (!pythonthreads_read_word(memory, interpreter + layout->interpreter.threads_head, &at))
		return false;
	for (unsigned i = 0; at && at != state && i < THREADS_MAX; i++)
		if (!pythonthreads_read_word(memory, at + layout->thread.next, &at))
			return false;
	return at != 0 && at == state;
}

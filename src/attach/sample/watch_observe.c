/* One observation of all threads.
 *
 * Threads that have not run since the previous one are not read.  The memory where the others'
 * stacks were then is fetched in one call; inconsistent stacks are read again. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "attach/sample/watch_observe.h"
#include "attach/sample/nativetarget.h"
#include "attach/sample/watch.h"
#include "attach/sample/watch_open.h"
#include "base/array.h"
#include "pystack/merge/pymerge_between.h"
#include "pystack/walk/pystack_walk.h"

#define ATTEMPTS	 32
#define INTERPRETERS_MAX 16

struct observation { /* the state of one call of watch_observe() */
	struct watch *watch;
	uint64_t now_ns;
	struct snapshot *snapshot; /* of the current thread */
	struct {
		uint64_t interpreter;
		struct pygil gil;
	} gils[INTERPRETERS_MAX];
	unsigned gil_count;
};

static struct pyframe python_frames[WATCH_DEPTH_MAX];
static struct unwind_frame native_frames[WATCH_DEPTH_MAX];
static struct pymerge_frame merged_frames[2 * WATCH_DEPTH_MAX];

static bool observe_read_memory(void *context, uint64_t address, void *to, size_t size)
{
	struct observation *observation = context;

	return snapshot_read(observation->snapshot, address, to, size);
}

static const unsigned char *read_later(void *context, uint64_t address, size_t size)
{
	struct observation *observation = context;

	return snapshot_later(observation->snapshot, address, size);
}

static void observe_learn_call(void *context, const struct pycall *call, uint32_t distance)
{
	struct observation *observation = context;

	seencalls_add(&observation->watch->calls, call, distance);
}

static bool knows_call(void *context, const struct pycall *call)
{
	const struct observation *observation = context;

	return seencalls_has(&observation->watch->calls, call);
}

static uint32_t distance_of(void *context, uint64_t caller)
{
	const struct observation *observation = context;

	return seencalls_distance(&observation->watch->calls, caller);
}

static const struct pyrunning running = {read_later, observe_learn_call, knows_call, distance_of};

/* Code objects do not change: known ones are not fetched. */
static bool find_known_shape(void *context, uint64_t code, struct pycode_shape *out)
{
	struct observation *observation = context;

	return codetable_shape(&observation->watch->codes, code, observation->now_ns, out);
}

static const struct pygil *gil_of(struct observation *observation,
				  const struct watch_thread *thread)
{
	const struct pymemory memory = {
		.read = observe_read_memory, .shape = find_known_shape, .context = observation};
	unsigned i;

	for (i = 0; i < observation->gil_count; i++)
		if (observation->gils[i].interpreter == thread->interpreter)
			return &observation->gils[i].gil;
	if (i == INTERPRETERS_MAX)
		return NULL;
	observation->snapshot = &observation->watch->gil;
	observation->gils[i].interpreter = thread->interpreter;
	if (!pygil_read(&observation->watch->python.runtime, &memory, thread->state,
			&observation->gils[i].gil))
		observation->gils[i].gil = (struct pygil){0};
	observation->gil_count++;
	return &observation->gils[i].gil;
}

static enum kymo_gil_state observe_gil_state(struct observation *observation,
					     const struct watch_thread *thread)
{
	const struct targettask_reading *task = &thread->task.last;
	const struct pygil *gil = thread->state ? gil_of(observation, thread) : NULL;

	if (!gil || !gil->address)
		return KYMO_GIL_UNKNOWN;
	if (gil->holder && (gil->holder == thread->state || gil->holder == thread->outer))
		return KYMO_GIL_HELD;
	return task->is_asleep && task->call == SYS_futex && task->argument >= gil->address &&
			       task->argument < gil->address + gil->size
		       ? KYMO_GIL_WAITED_FOR
		       : KYMO_GIL_NOT_HELD;
}

static bool keep_frame(struct watch_thread *thread, size_t at, uint64_t frame)
{
	if (at >= thread->frame_capacity) {
		uint64_t *grown =
			array_grow(thread->frames, &thread->frame_capacity, at + 1, sizeof(*grown));

		if (!grown)
			return false;
		thread->frames = grown;
	}
	if (at >= thread->frame_count || thread->frames[at] != frame)
		thread->is_same = false;
	thread->frames[at] = frame;
	return true;
}

static bool python_word(struct observation *observation, const struct pyframe *frame, uint64_t *out)
{
	const struct pymemory memory = {.read = remote_read,
					.context = &observation->watch->remote};
	uint32_t id;

	if (!codetable_find(&observation->watch->codes, &observation->watch->python.runtime,
			    &memory, frame->code, observation->now_ns, &id))
		return false;
	*out = kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)id << 32 | frame->offset);
	return true;
}

/* Adds the marks and the kernel's frame to merged frames, outermost first; a mark for missing
 * callers comes after the native frames. */
static bool keep_frames(struct observation *observation, struct watch_thread *thread,
			const struct pymerge_frame *merged, struct pymerge_result result,
			uint64_t mark)
{
	const size_t lost = mark == KYMO_MARK_LOST ? result.native_count : 0;
	size_t kept = 0;
	uint64_t word;
	bool is_stored = true;

	thread->is_same = true;
	if (mark && (lost == 0 || lost == result.count))
		is_stored = keep_frame(thread, kept++, kymo_frame(KYMO_FRAME_MARK, mark));
	for (size_t i = result.count; i-- > 0 && is_stored;) {
		const uint32_t index = merged[i].index;

		if (i + 1 == lost && lost < result.count)
			is_stored = keep_frame(thread, kept++, kymo_frame(KYMO_FRAME_MARK, mark));

		if (!merged[i].is_python)
			word = kymo_frame(KYMO_FRAME_NATIVE, native_frames[index].address);
		else if (!python_word(observation, &python_frames[index], &word))
			return false;
		is_stored = keep_frame(thread, kept++, word);
	}
	if (kept == 0)
		is_stored =
			keep_frame(thread, kept++, kymo_frame(KYMO_FRAME_MARK, KYMO_MARK_NO_STACK));
	if (thread->task.last.is_asleep && is_stored)
		is_stored = keep_frame(thread, kept++, targettask_frame(&thread->task));
	if (kept != thread->frame_count)
		thread->is_same = false;
	thread->frame_count = is_stored ? kept : 0;
	return is_stored;
}

/* The threads are not stopped: they run while they are read.  (Up to 3.10 a frame that has returned
 * is recognisable: it has no caller any more.) */
static bool runs_on(const struct watch *watch)
{
	return !watch->options.is_blocking && !watch->options.has_native &&
	       watch->python.runtime.layout.frame.stack != PYLAYOUT_NONE;
}

static enum pystack_status walk_python(struct observation *observation, struct watch_thread *thread,
				       size_t *count)
{
	const struct pymemory memory = {
		.read = observe_read_memory,
		.shape = find_known_shape,
		.running = runs_on(observation->watch) ? &running : NULL,
		.context = observation,
	};
	const uint32_t depth = observation->watch->options.depth;
	enum pystack_status status = PYSTACK_NONE, outer;
	size_t outer_count;

	*count = 0;
	observation->snapshot = &thread->snapshot;
	if (thread->state)
		status = pystack_walk(&observation->watch->python.runtime, &memory, thread->state,
				      python_frames, depth, count);
	/* Called from another interpreter, whose frames are below on the same stack. */
	if (thread->outer && (status == PYSTACK_NONE || status == PYSTACK_OK)) {
		outer = pystack_walk(&observation->watch->python.runtime, &memory, thread->outer,
				     python_frames + *count, depth - *count, &outer_count);
		*count += outer_count;
		status = outer == PYSTACK_NONE ? status : outer;
	}
	return status;
}

static bool take_python(struct observation *observation, struct watch_thread *thread)
{
	size_t count;
	enum pystack_status status = walk_python(observation, thread, &count);

	if (status == PYSTACK_TORN || (status == PYSTACK_NONE && thread->had_frames)) {
		thread->had_frames = status != PYSTACK_NONE;
		return false;
	}
	thread->had_frames = count > 0;
	for (size_t i = 0; i < count; i++)
		merged_frames[i] = (struct pymerge_frame){.is_python = true, .index = (uint32_t)i};
	return keep_frames(observation, thread, merged_frames,
			   (struct pymerge_result){.count = count},
			   status == PYSTACK_CUT ? KYMO_MARK_CUT : 0);
}

static uint64_t mark_of(enum unwind_end end, enum pystack_status status, bool is_certain)
{
	if (end == UNWIND_CUT || status == PYSTACK_CUT)
		return KYMO_MARK_CUT;
	if (end != UNWIND_COMPLETE)
		return KYMO_MARK_LOST;
	return is_certain ? 0 : KYMO_MARK_UNCERTAIN;
}

/* The thread is stopped, or sleeps. */
static bool take_merged(struct observation *observation, struct watch_thread *thread)
{
	struct watch *watch = observation->watch;
	enum unwind_end end = UNWIND_COMPLETE;
	size_t python_count;
	enum pystack_status status = walk_python(observation, thread, &python_count);
	size_t native_count =
		nativetarget_walk(watch->native, thread, native_frames, watch->options.depth, &end);
	const struct pymemory memory = {.read = observe_read_memory, .context = observation};
	struct pymerge_stack stack = {.native = native_frames,
				      .native_count = native_count,
				      .python = python_frames,
				      .python_count = python_count};
	struct pymerge_result result;

	if (status == PYSTACK_TORN)
		return false;
	stack.is_between = thread->state && !thread->outer &&
			   pymerge_is_between(&watch->python.runtime, &memory, thread->state,
					      &watch->python.evaluation, &stack, python_frames);
	result = pymerge(&stack, &watch->python.evaluation, merged_frames);
	return keep_frames(observation, thread, merged_frames, result,
			   mark_of(end, status, result.is_certain));
}

/* Fetch the memory of the threads' stacks, for all of them with one call. */
static void fetch(struct watch *watch, struct watch_thread *const *threads, size_t count)
{
	static struct remote_range *ranges;
	static size_t capacity;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		struct remote_range *grown =
			array_grow(ranges, &capacity, used + 2 * SNAPSHOT_RANGES, sizeof(*ranges));

		if (!grown)
			return;
		ranges = grown;
		used += snapshot_plan(&threads[i]->snapshot, runs_on(watch), ranges + used);
	}
	if (used > 0)
		remote_read_ranges(&watch->remote, ranges, used);
	used = 0;
	for (size_t i = 0; i < count; i++)
		used += snapshot_take(&threads[i]->snapshot, ranges + used);
}

static bool observe_take_stack(struct observation *observation, struct watch_thread *thread)
{
	struct nativetarget *native = observation->watch->native;
	bool is_taken;

	if (!observation->watch->options.has_native)
		return take_python(observation, thread);
	if (!nativetarget_stop(native, thread))
		return false;
	fetch(observation->watch, &thread, 1);
	is_taken = take_merged(observation, thread);
	if (!observation->watch->options.is_blocking)
		nativetarget_resume(native);
	return is_taken;
}

/* A thread that ends deletes its thread state before it exits. */
static bool has_lost_state(const struct watch *watch, const struct watch_thread *thread)
{
	const struct pymemory memory = {.read = remote_read,
					.context = (void *)(uintptr_t)&watch->remote};

	return thread->state &&
	       !pythonthreads_has(&watch->python, &memory, thread->interpreter, thread->state);
}

static bool observe_retry(struct observation *observation, struct watch_thread *thread)
{
	for (int i = 1; i < ATTEMPTS; i++) {
		observation->watch->torn_count++;
		if (!observation->watch->options.is_blocking &&
		    targettask_read(&thread->task) == TARGETTASK_ENDED) {
			thread->news = TARGETTASK_ENDED;
			return false;
		}
		if (!observation->watch->options.has_native)
			fetch(observation->watch, &thread, 1);
		if (observe_take_stack(observation, thread))
			return true;
	}
	return false;
}

/* No sample is lost of a thread that has ended by now, or runs no Python any more. */
static enum watch_result result_of_failure(struct observation *observation,
					   struct watch_thread *thread)
{
	thread->task.is_known = false;
	if (thread->news == TARGETTASK_ENDED ||
	    target_is_ending(observation->watch->target.pid, thread->task.id)) {
		observation->watch->must_list = true;
		return WATCH_PASSED;
	}
	if (has_lost_state(observation->watch, thread)) {
		observation->watch->must_list = true;
		thread->state = thread->outer = 0;
		if (!observation->watch->options.has_native)
			return WATCH_PASSED;
		if (observe_take_stack(observation, thread))
			return WATCH_STACK;
	}
	observation->watch->lost_count++;
	return WATCH_LOST;
}

static void observe_thread(struct observation *observation, struct watch_thread *thread)
{
	if (observe_take_stack(observation, thread) || observe_retry(observation, thread))
		thread->result = WATCH_STACK;
	else
		thread->result = result_of_failure(observation, thread);
	thread->gil = observe_gil_state(observation, thread);
}

/* Does the thread have to be read? */
static bool observe_must_read(struct observation *observation, struct watch_thread *thread)
{
	const struct watch_options *options = &observation->watch->options;

	thread->is_same = thread->news == TARGETTASK_SAME && thread->result != WATCH_LOST;
	if (thread->news == TARGETTASK_ENDED) {
		observation->watch->must_list = true;
		thread->result = WATCH_PASSED;
		return false;
	}
	if (options->only_active && thread->task.last.is_asleep) {
		thread->result = WATCH_PASSED;
		return false;
	}
	if (options->only_gil && observe_gil_state(observation, thread) != KYMO_GIL_HELD) {
		thread->result = WATCH_PASSED;
		thread->task.is_known = false;
		return false;
	}
	return !thread->is_same;
}

static size_t observe_choose(struct observation *observation, struct watch_thread ***wanted_out)
{
	static struct watch_thread **wanted;
	static size_t capacity;
	struct watch *watch = observation->watch;
	struct watch_thread **grown =
		array_grow(wanted, &capacity, watch->count + 1, sizeof(*wanted));
	size_t count = 0;

	if (!grown)
		return 0;
	wanted = *wanted_out = grown;
	for (size_t i = 0; i < watch->count; i++)
		if (observe_must_read(observation, watch->threads[i]))
			wanted[count++] = watch->threads[i];
	return count;
}

/* Read those that have not been read in this observation.  False: some have ended. */
static bool read_news(struct watch *watch)
{
	const uint64_t observation = watch->observed_count + 1;
	bool are_all_there = true;

	for (size_t i = 0; i < watch->count; i++) {
		struct watch_thread *thread = watch->threads[i];

		if (thread->read_in != observation)
			thread->news = targettask_read(&thread->task);
		thread->read_in = observation;
		are_all_there &= thread->news != TARGETTASK_ENDED;
	}
	return are_all_there;
}

enum watch_state watch_observe(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink)
{
	struct observation observation = {.watch = watch, .now_ns = now_ns};
	enum watch_state state = watch_refresh(watch, now_ns, sink);
	struct watch_thread **wanted = NULL;
	size_t count;

	if (state != WATCH_RUNNING)
		return state;
	if (!read_news(watch)) {
		watch_list_refresh(watch, now_ns, sink);
		read_news(watch);
	}
	if (watch->options.is_blocking)
		nativetarget_stop_running(watch->native);
	snapshot_fetch(&watch->gil);
	count = observe_choose(&observation, &wanted);
	if (!watch->options.has_native)
		fetch(watch, wanted, count);
	for (size_t i = 0; i < count; i++)
		observe_thread(&observation, wanted[i]);
	if (watch->native)
		nativetarget_resume(watch->native);
	watch->observed_count++;
	for (size_t i = 0; i < watch->count; i++)
		sink->observed(sink->context, watch->threads[i]);
	return WATCH_RUNNING;
}

/* What is shown of the stacks of a thread, and how they end. Everything depends on the frames from
 * the outermost on, so that it is computed once for a stack, from its caller's state. */
#include "model/samples/sampled_stacks.h"

#include <stdlib.h>

#include "model/samples/sampled_class.h"

static enum sampled_step step_of(const struct sampled_frame *frame, bool is_second,
				 enum sampled_state *state)
{
	switch (frame->origin) {
	case SAMPLED_FROM_PYTHON: /* its evaluation is the interpreter's */
		*state = SAMPLED_INSIDE;
		return SAMPLED_SHOW;
	case SAMPLED_FROM_INTERPRETER:
		*state = SAMPLED_INSIDE;
		return SAMPLED_HIDE;
	case SAMPLED_FROM_LIBC: /* thread start code, or a helper of the interpreter */
		return *state == SAMPLED_SHOWN ? SAMPLED_SHOW : SAMPLED_HIDE;
	case SAMPLED_FROM_MAIN_START:
		/* The outermost frame is _start without its name. */
		if (is_second && *state == SAMPLED_SHOWN) {
			*state = SAMPLED_OUTER;
			return SAMPLED_RESTART;
		}
		return SAMPLED_HIDE;
	case SAMPLED_FROM_TRAMPOLINE:
		return SAMPLED_HIDE;
	case SAMPLED_FROM_START:
		if (*state == SAMPLED_OUTER)
			return SAMPLED_HIDE;
		break;
	case SAMPLED_FROM_KYMO:
		/* The program did not make these calls. */
		if (frame->is_kymo_sleep && *state == SAMPLED_SHOWN)
			*state = SAMPLED_INSIDE;
		if (frame->is_recording)
			*state = SAMPLED_RECORDING;
		return SAMPLED_HIDE;
	case SAMPLED_FROM_KERNEL:
		if (*state == SAMPLED_RECORDING)
			return SAMPLED_HIDE;
		break;
	case SAMPLED_FROM_PROGRAM:
	case SAMPLED_FROM_NOWHERE:
		break;
	}
	*state = SAMPLED_SHOWN;
	return SAMPLED_SHOW;
}

static struct sampled_leaf leaf_of(const struct sampled_frame *frame,
				   const struct sampled_leaf *caller)
{
	struct sampled_leaf leaf = {.class = SAMPLED_NATIVE, .call = frame->call};
	bool is_evaluated = caller && caller->class == SAMPLED_PYTHON;

	switch (frame->origin) {
	case SAMPLED_FROM_PYTHON:
		leaf.class = SAMPLED_PYTHON;
		leaf.is_python = true;
		return leaf;
	case SAMPLED_FROM_KERNEL:
		leaf.class = SAMPLED_KERNEL;
		leaf.is_in_kernel = true;
		leaf.content = kymo_frame_content(frame->word);
		break;
	case SAMPLED_FROM_INTERPRETER:
		/* And their callees. */
		if (is_evaluated && (frame->is_evaluation || !caller->is_python))
			leaf.class = SAMPLED_PYTHON;
		break;
	case SAMPLED_FROM_LIBC:
		if (is_evaluated)
			leaf.class = SAMPLED_PYTHON;
		/* A wait's inner function may have no name of its own. */
		if (!leaf.call && caller)
			leaf.call = caller->call;
		break;
	default:
		break;
	}
	/* The function that takes the GIL is called by Python code, and calls the C library. */
	leaf.is_gil_wait = frame->is_gil_wait || (caller && caller->is_gil_wait);
	return leaf;
}

bool sampled_stack_is_shown(const struct sampled_stack *stack,
			    const struct sampled_options *options)
{
	return stack->step == SAMPLED_SHOW || options->keeps_internal;
}

/* Mark the stacks of the thread's samples, callers included. */
static void mark_used(struct sampled_stack *stacks, const struct samples *samples, uint32_t thread)
{
	struct sample_position position = {0};
	struct sample sample;
	uint64_t frame;

	while (samples_next(samples, thread, &position, &sample))
		stacks[sample.stack].is_used = stacks[sample.stack].has_samples = true;
	stacks[0].is_used = true;
	for (uint32_t id = samples_stack_count(samples, thread); id-- > 1;) {
		if (stacks[id].is_used &&
		    samples_frame(samples, thread, id, &frame, &stacks[id].parent))
			stacks[stacks[id].parent].is_used = true;
	}
}

/* Native frames not connected to the Python code that called them by unwinding: they count as
 * called by it. */
static bool is_bridged(const struct sampled_frame *frame, const struct sampled_stack *caller)
{
	return frame->origin == SAMPLED_FROM_NOWHERE && caller && caller->python_stack &&
	       (kymo_frame_content(frame->word) & 0xff) == KYMO_MARK_LOST;
}

/* A wait interrupted by sampling continues in Kymo, which may use another function of the C
 * library for the rest of its time.  The program made a single call: that is shown in the kernel's
 * frame. */
static bool is_interrupted_wait(const struct sampled_frame *frame,
				const struct sampled_stack *caller)
{
	return caller && caller->is_wrapper && frame->origin == SAMPLED_FROM_LIBC;
}

static bool is_on_the_way(const struct sampled_frame *frame, const struct sampled_stack *caller)
{
	return caller && caller->is_wrapper &&
	       (frame->origin == SAMPLED_FROM_KYMO || frame->origin == SAMPLED_FROM_LIBC);
}

static bool is_clock_of_kymo(const struct sampled_frame *frame, const struct sampled_stack *caller)
{
	return frame->is_of_no_file && caller && caller->is_kymo;
}

static void stacks_place(const struct sampled_frames *frames, const struct sampled_frame *frame,
			 struct sampled_stack *stack, uint32_t id,
			 const struct sampled_stack *caller)
{
	enum sampled_state state = caller ? (enum sampled_state)caller->state : SAMPLED_OUTER;

	stack->step = is_bridged(frame, caller)
			      ? SAMPLED_HIDE
			      : (uint8_t)step_of(frame, caller && !caller->parent, &state);
	if (is_clock_of_kymo(frame, caller))
		state = (enum sampled_state)caller->state;
	if (is_clock_of_kymo(frame, caller) || is_interrupted_wait(frame, caller))
		stack->step = SAMPLED_HIDE;
	stack->is_kymo = frame->origin == SAMPLED_FROM_KYMO || is_clock_of_kymo(frame, caller);
	stack->is_wrapper = frame->is_wrapper || is_on_the_way(frame, caller);
	stack->state = (uint8_t)state;
	stack->leaf = leaf_of(frame, caller ? &caller->leaf : NULL);
	stack->is_kymo_sleep = frame->is_kymo_sleep || (caller && caller->is_kymo_sleep &&
							frame->origin == SAMPLED_FROM_LIBC);
	if (caller) {
		stack->python_stack = caller->python_stack;
		stack->python_region = caller->python_region;
		stack->place_region = caller->place_region;
	}
	if (frame->origin == SAMPLED_FROM_PYTHON ||
	    (frame->origin == SAMPLED_FROM_PROGRAM && !stack->is_kymo))
		stack->place_region = sampled_frames_region(frames, frame, frame->region_count - 1);
	if (frame->origin == SAMPLED_FROM_PYTHON) {
		stack->python_stack = id;
		stack->python_region = stack->place_region;
	}
}

/* The frame of a stack, as displayed: a sleep interrupted by sampling continues in Kymo as a wait
 * for nothing, but still counts as a sleep. */
static const struct sampled_frame *stacks_find_frame(struct sampled_frames *frames,
						     const struct samples *samples, uint32_t thread,
						     uint32_t id,
						     const struct sampled_stack *caller)
{
	uint64_t word = kymo_frame(KYMO_FRAME_MARK, KYMO_MARK_NO_STACK);
	uint32_t parent;

	samples_frame(samples, thread, id, &word, &parent);
	if (caller && caller->is_kymo_sleep && !sampled_frames_keep_internal(frames) &&
	    kymo_frame_kind(word) == KYMO_FRAME_KERNEL &&
	    sampled_call_is_sleep(kymo_frame_content(word)))
		word = kymo_frame(KYMO_FRAME_KERNEL, sampled_call_sleep());
	return sampled_frames_find(frames, word);
}

struct sampled_stack *sampled_stacks_new(struct sampled_frames *frames,
					 const struct samples *samples, uint32_t thread)
{
	uint32_t count = samples_stack_count(samples, thread);
	struct sampled_stack *stacks = calloc(count, sizeof(*stacks));

	if (!stacks)
		return NULL;
	mark_used(stacks, samples, thread);
	for (uint32_t id = 0; id < count; id++) {
		const struct sampled_stack *caller =
			stacks[id].parent ? &stacks[stacks[id].parent] : NULL;
		const struct sampled_frame *frame;

		if (!stacks[id].is_used)
			continue;
		frame = stacks_find_frame(frames, samples, thread, id, caller);
		if (!frame) {
			free(stacks);
			return NULL;
		}
		stacks[id].frame = frame->index;
		stacks_place(frames, frame, &stacks[id], id, caller);
	}
	return stacks;
}

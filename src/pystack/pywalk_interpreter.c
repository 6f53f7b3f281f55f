/* Frames from 3.11 on: one evaluation runs many.
 *
 * What ends a run of frames is a mark in the outermost of them (3.11), or a frame without
 * code behind it, which lies in the C stack (from 3.12 on).  Up to 3.12 the innermost frame
 * is told by a cframe on the C stack, which an evaluation makes current before it has
 * written it: so a run counts only if its outermost frame was called by the one that is
 * current in the cframe before; if not, the walk begins with that cframe, if there is one:
 * the link to it may not be written either. */
#include "format/format.h"
#include "pystack/pywalk.h"

#define HEAD_MAX 96u /* bytes of a frame that matter */
#define TAG_BITS 7u

struct frame {
	uint64_t address, previous, code;
	uint32_t offset;
	bool is_shim;	  /* at an entry from C: no code of its own */
	bool is_entry;	  /* 3.11: called from C */
	bool is_prepared; /* not begun so far */
	bool is_generator;
};

struct run {
	uint64_t cframe;   /* to 3.12: the evaluation's, 0 = none or not known */
	size_t begin;	   /* count when it began */
	uint64_t prepared; /* code of a frame of it that was left out, 0 = none */
};

/* ---- one frame ------------------------------------------------------------------- */

/* Where in the code it executes; false when that is nowhere. */
static bool take_offset(const struct pylayout *layout, const unsigned char *head,
			const struct pycode_shape *shape, struct frame *frame)
{
	const uint32_t unit = layout->frame.instruction_unit;
	uint64_t instruction = pyread_field(head, layout->frame.instruction);
	uint64_t start = frame->code + layout->code.instructions;
	bool is_generator = frame->is_generator;

	if (instruction == start - unit) { /* to 3.12: not one was executed */
		frame->offset = KYMO_FRAME_NO_OFFSET;
		frame->is_prepared = !is_generator;
		return true;
	}
	if (instruction < start || instruction - start >= (uint64_t)shape->units * unit ||
	    (instruction - start) % unit != 0)
		return false;
	frame->offset = (uint32_t)(instruction - start);
	frame->is_prepared = !is_generator && frame->offset < shape->first_traceable * unit;
	return true;
}

static bool take_head(struct pywalk *walk, const unsigned char *head, struct frame *frame)
{
	const struct pylayout *layout = &walk->runtime->layout;
	struct pycode_shape shape;

	frame->previous = pyread_field(head, layout->frame.previous);
	frame->code = pyread_field(head, layout->frame.code);
	frame->is_shim = head[layout->frame.owner] >= layout->frame.owner_c_stack;
	frame->is_prepared = false;
	frame->is_generator = head[layout->frame.owner] == layout->frame.owner_generator;
	frame->is_entry = layout->frame.is_entry != PYLAYOUT_NONE && head[layout->frame.is_entry];
	if (frame->is_shim)
		return true;
	if (layout->frame.code_is_tagged)
		frame->code &= ~(uint64_t)TAG_BITS;
	return pywalk_measure(walk->runtime, &walk->reader, frame->code, &shape) &&
	       take_offset(layout, head, &shape, frame);
}

static bool take_frame(struct pywalk *walk, uint64_t address, struct frame *frame)
{
	const uint32_t size = walk->runtime->layout.frame.size;
	unsigned char buffer[HEAD_MAX];
	const unsigned char *head;

	frame->address = address;
	if (!pyread_is_object(address) || pywalk_is_cycle(walk, address) || size > HEAD_MAX)
		return false;
	head = pyread_at(&walk->reader, address, buffer, size);
	return head && take_head(walk, head, frame);
}

/* To 3.12 a cframe that is not written yet holds what an earlier call has left there, which
 * can be a frame whose code is gone, and lately the page that it was in, too. */
static bool has_its_code(struct pywalk *walk, uint64_t address)
{
	const struct pylayout *layout = &walk->runtime->layout;
	unsigned char buffer[HEAD_MAX];
	const unsigned char *head;
	uint64_t code;

	if (layout->thread.cframe == PYLAYOUT_NONE || layout->frame.size > HEAD_MAX)
		return true;
	head = pyread_at(&walk->reader, address, buffer, layout->frame.size);
	if (!head)
		return false;
	code = pyread_field(head, layout->frame.code);
	return head[layout->frame.owner] >= layout->frame.owner_c_stack ||
	       pyread_ask(&walk->reader, code, layout->code.first_traceable + 4);
}

/* The innermost frame may be one that has just been left, or never was: its memory can be
 * gone already, unless it lies where the thread's frames are now. */
static bool take_innermost(struct pywalk *walk, uint64_t address, struct frame *frame)
{
	const struct pyreader *reader = &walk->reader;
	bool is_there = (address >= reader->sure_low && address < reader->sure_high) ||
			(address >= reader->guarded_low && address < reader->guarded_high);

	if (!pyread_is_object(address) ||
	    (!is_there && !pyread_ask(reader, address, walk->runtime->layout.frame.size)))
		return false;
	return (walk->reader.memory || has_its_code(walk, address)) &&
	       take_frame(walk, address, frame);
}

/* ---- runs ------------------------------------------------------------------------ */

static bool emit(struct pywalk *walk, uint64_t address, uint64_t code, uint32_t offset)
{
	struct pyframe *to = &walk->frames[walk->count];

	if (walk->count == walk->capacity)
		return false;
	to->code = code;
	to->offset = offset;
	to->is_entry = false;
	to->c_address = 0;
	if (walk->addresses)
		walk->addresses[walk->count] = address;
	walk->count++;
	return true;
}

/* The run's outermost frame was met: it is an entry. */
static bool end_run(struct pywalk *walk, const struct run *run, uint64_t c_address)
{
	/* All that there was of it was left out: better one that has not begun than none. */
	if (walk->count == run->begin && run->prepared &&
	    !emit(walk, 0, run->prepared, KYMO_FRAME_NO_OFFSET))
		return false;
	if (walk->count > run->begin) {
		walk->frames[walk->count - 1].is_entry = true;
		walk->frames[walk->count - 1].c_address = c_address;
	}
	return true;
}

/* To 3.12: true when the frame that called the run is current in the cframe before. */
static bool is_called_rightly(struct pywalk *walk, const struct run *run, uint64_t caller,
			      uint64_t *cframe_out)
{
	const struct pylayout *layout = &walk->runtime->layout;
	uint64_t current = 0;

	return pyread_word(&walk->reader, run->cframe + layout->cframe.previous, cframe_out) &&
	       pyread_is_object(*cframe_out) &&
	       pyread_word(&walk->reader, *cframe_out + layout->cframe.current_frame, &current) &&
	       current == caller;
}

/* The frames of one run from *frame on; *frame becomes the caller of its outermost. */
static enum pystack_status walk_run(struct pywalk *walk, struct run *run, struct frame *frame)
{
	uint64_t cframe = 0;

	for (;;) {
		if (frame->is_prepared)
			run->prepared = frame->code;
		else if (!frame->is_shim && !emit(walk, frame->address, frame->code, frame->offset))
			return PYSTACK_CUT;
		if (frame->is_shim || frame->is_entry)
			break;
		if (!frame->previous || !take_frame(walk, frame->previous, frame))
			return PYSTACK_TORN;
	}
	/* Of another process: a generator that went to rest between two reads. */
	if (frame->is_generator && !frame->previous && walk->reader.memory)
		return PYSTACK_TORN;
	if (run->cframe && !is_called_rightly(walk, run, frame->previous, &cframe))
		return PYSTACK_TORN;
	if (!end_run(walk, run, frame->is_shim ? frame->address : run->cframe))
		return PYSTACK_CUT;
	run->cframe = cframe;
	run->begin = walk->count;
	run->prepared = 0;
	return PYSTACK_OK;
}

/* All runs from the frame at address on. */
static enum pystack_status walk_runs(struct pywalk *walk, uint64_t cframe, uint64_t address)
{
	struct run run = {.cframe = cframe};
	struct frame frame = {.previous = 0};
	enum pystack_status status;

	if (!address)
		return PYSTACK_OK;
	if (!take_innermost(walk, address, &frame))
		return PYSTACK_TORN;
	for (;;) {
		status = walk_run(walk, &run, &frame);
		if (status != PYSTACK_OK || !frame.previous)
			return status;
		if (!take_frame(walk, frame.previous, &frame))
			return PYSTACK_TORN;
	}
}

/* To 3.12: from a cframe on. */
static enum pystack_status walk_cframe(struct pywalk *walk, uint64_t cframe)
{
	const struct pylayout *layout = &walk->runtime->layout;
	uint64_t current = 0;

	walk->count = 0;
	walk->met = 0;
	walk->steps = 0;
	if (!pyread_is_object(cframe) ||
	    !pyread_word(&walk->reader, cframe + layout->cframe.current_frame, &current))
		return PYSTACK_TORN;
	return walk_runs(walk, cframe, current);
}

enum pystack_status pywalk_interpreter(struct pywalk *walk)
{
	const struct pylayout *layout = &walk->runtime->layout;
	enum pystack_status status;
	uint64_t address;

	if (layout->thread.cframe == PYLAYOUT_NONE) {
		if (!pyread_word(&walk->reader, walk->thread + layout->thread.current_frame,
				 &address))
			return PYSTACK_TORN;
		return walk_runs(walk, 0, address);
	}
	if (!pyread_word(&walk->reader, walk->thread + layout->thread.cframe, &address))
		return PYSTACK_TORN;
	status = walk_cframe(walk, address);
	/* Another process does not wait: there it would be the wrong answer. */
	if (status != PYSTACK_TORN || walk->reader.memory || !pyread_is_object(address) ||
	    !pyread_word(&walk->reader, address + layout->cframe.previous, &address) || !address)
		return status;
	return walk_cframe(walk, address);
}

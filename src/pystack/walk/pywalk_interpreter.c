/* Frames from 3.11 on: one evaluation runs many.
 *
 * A run of frames is terminated by a mark in the outermost of them (3.11), or by a frame without
 * code after it, which is on the C stack (from 3.12 on).  Up to 3.12 the innermost frame is found
 * by a cframe on the C stack, which an evaluation makes current before it has initialised it: so a
 * run is valid only if its outermost frame was called by the current one of the previous cframe; if
 * not, the walk begins with that cframe, if there is one.  The link to it may be uninitialised,
 * too: then it is in a register.
 *
 * A thread of another process runs concurrently: frames that it has left remain in memory
 * unchanged, and it puts others in their place, so that a frame that was left can point to one that
 * never called it.  So a frame is valid only if its caller is in a call: then the depth of the
 * caller's value stack is saved, else it executes, and the stack ends with it.  In addition the
 * caller must have been in the same call from before the frame was read until afterwards, which is
 * checked by reading it twice, or such a call was seen before.  Frames called since the pointer to
 * the innermost frame was read are found by the distances of such calls. */
#include "pystack/walk/pywalk_interpreter.h"

#include <string.h>

#include "format/format.h"
#include "pystack/walk/pywalk.h"

#define CFRAMES_APART (1u << 20) /* bytes of the C stack between two of them, at most */
#define CFRAME_BYTES  32u	 /* minimum size of one */

#define HEAD_MAX   96u /* bytes of a frame that are needed */
#define TAG_BITS   7u
#define NEAR	   (UINT64_C(64) << 10) /* of two frames on one stack */
#define DEEPER_MAX 256			/* frames inside of the pointed-to innermost one */

struct frame {
	uint64_t address, previous, code, instruction, stack;
	uint8_t owner;
	uint32_t offset;
	bool is_shim;	  /* at an entry from C: no code of its own */
	bool is_entry;	  /* 3.11: called from C */
	bool is_prepared; /* not started yet */
	bool has_called;  /* another frame of its run, as far as that is known */
	bool is_generator;
};

struct run {
	uint64_t cframe;   /* to 3.12: the evaluation's, 0 = none or not known */
	size_t begin;	   /* count when it began */
	uint64_t prepared; /* code of a skipped frame of it, 0 = none */
	/* Of a running thread: the previous frame, and whether the entry from C between it and its
	 * caller was a different one later. */
	uint64_t callee, callee_code;
	bool is_doubtful, is_of_generator;
};

/* The offset of the current instruction; false when invalid. */
static bool take_offset(const struct pylayout *layout, const struct pycode_shape *shape,
			struct frame *frame)
{
	const uint32_t unit = layout->frame.instruction_unit;
	uint64_t instruction = frame->instruction;
	uint64_t start = frame->code + layout->code.instructions;
	bool is_generator = frame->is_generator;

	if (instruction == start - unit) { /* up to 3.12: nothing was executed yet */
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

static void take_fields(const struct pyruntime *runtime, const unsigned char *head,
			struct frame *frame)
{
	const struct pylayout *layout = &runtime->layout;

	frame->previous = pyread_field(head, layout->frame.previous);
	frame->code = pyread_field(head, layout->frame.code);
	if (layout->frame.code_is_tagged)
		frame->code &= ~(uint64_t)TAG_BITS;
	frame->instruction = pyread_field(head, layout->frame.instruction);
	frame->stack = layout->frame.stack_is_pointer ? pyread_field(head, layout->frame.stack)
						      : pyread_field32(head, layout->frame.stack);
	frame->owner = head[layout->frame.owner];
	/* From 3.13 on a shim's code is None, which may be stored before its owner. */
	frame->is_shim = frame->owner >= layout->frame.owner_c_stack ||
			 (runtime->none && frame->code == runtime->none);
	frame->is_prepared = false;
	frame->has_called = layout->frame.return_offset == PYLAYOUT_NONE ||
			    head[layout->frame.return_offset] != 0 ||
			    head[layout->frame.return_offset + 1] != 0;
	frame->is_generator = frame->owner == layout->frame.owner_generator;
	frame->is_entry = layout->frame.is_entry != PYLAYOUT_NONE && head[layout->frame.is_entry];
}

static bool take_head(struct pywalk *walk, const unsigned char *head, struct frame *frame)
{
	const struct pylayout *layout = &walk->runtime->layout;
	struct pycode_shape shape;

	take_fields(walk->runtime, head, frame);
	return frame->is_shim ||
	       (pywalk_measure(walk->runtime, &walk->reader, frame->code, &shape) &&
		take_offset(layout, &shape, frame));
}

static bool interpreter_take_frame(struct pywalk *walk, uint64_t address, struct frame *frame)
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

/* Up to 3.12 an uninitialised cframe contains data of an earlier call, which can be a frame whose
 * code, and possibly its page, does not exist any more.  A thread outside of the evaluation
 * function has initialised it. */
static bool has_its_code(struct pywalk *walk, uint64_t address)
{
	const struct pylayout *layout = &walk->runtime->layout;
	unsigned char buffer[HEAD_MAX];
	const unsigned char *head;
	uint64_t code;

	if (layout->thread.cframe == PYLAYOUT_NONE || layout->frame.size > HEAD_MAX ||
	    walk->is_outside)
		return true;
	head = pyread_at(&walk->reader, address, buffer, layout->frame.size);
	if (!head)
		return false;
	code = pyread_field(head, layout->frame.code);
	return head[layout->frame.owner] >= layout->frame.owner_c_stack ||
	       pyread_probe(&walk->reader, code, layout->code.first_traceable + 4);
}

/* The innermost frame may have just been left, or be invalid: its memory may be unmapped already,
 * unless it is where the thread's frames are now. */
static bool take_innermost(struct pywalk *walk, uint64_t address, struct frame *frame)
{
	const struct pyreader *reader = &walk->reader;
	bool is_there = (address >= reader->mapped_low && address < reader->mapped_high) ||
			(address >= reader->guarded_low && address < reader->guarded_high);

	if (!pyread_is_object(address) ||
	    (!is_there && !pyread_probe(reader, address, walk->runtime->layout.frame.size)))
		return false;
	return (walk->reader.memory || has_its_code(walk, address)) &&
	       interpreter_take_frame(walk, address, frame);
}

static const struct pyrunning *running(const struct pywalk *walk)
{
	return walk->reader.memory ? walk->reader.memory->running : NULL;
}

/* A frame saves its stack depth when it calls another one of its run, and when it ends. */
static bool is_in_call(const struct pylayout *layout, const struct frame *frame)
{
	return frame->has_called &&
	       (layout->frame.stack_is_pointer ? frame->stack != 0 : (int32_t)frame->stack >= 0);
}

/* Was it there, in the same call, all the time? */
static bool interpreter_is_steady(const struct pywalk *walk, const struct frame *frame,
				  bool is_of_one_run)
{
	const struct pylayout *layout = &walk->runtime->layout;
	const unsigned char *head = running(walk)->later(walk->reader.memory->context,
							 frame->address, layout->frame.size);
	struct frame later;

	if (!head)
		return false;
	take_fields(walk->runtime, head, &later);
	return later.previous == frame->previous && later.code == frame->code &&
	       later.owner == frame->owner &&
	       (frame->is_shim || later.instruction == frame->instruction) &&
	       (!is_of_one_run || later.stack == frame->stack);
}

static void interpreter_learn_call(const struct pywalk *walk, const struct pycall *call,
				   const struct frame *caller, uint64_t callee, bool is_of_one_run)
{
	uint64_t distance = callee - caller->address;

	if (!is_of_one_run || caller->is_generator || callee < caller->address || distance >= NEAR)
		distance = 0;
	running(walk)->learn(walk->reader.memory->context, call, (uint32_t)distance);
}

/* Did the memory of frames extend beyond this one both times?  (Generators' frames are elsewhere
 * and lose their caller when suspended.) */
static bool is_covered(const struct pywalk *walk, const struct run *run)
{
	uint64_t distance = run->callee < walk->low_end ? walk->low_end - run->callee
							: run->callee - walk->low_end;

	return run->is_of_generator || run->callee < walk->low_end || distance >= NEAR;
}

/* Did it call the previous frame? */
static bool is_caller(const struct pywalk *walk, const struct run *run, const struct frame *frame,
		      bool is_of_one_run)
{
	const struct pycall call = {frame->code, run->callee_code, frame->offset};

	if (is_of_one_run && !is_in_call(&walk->runtime->layout, frame))
		return false;
	if (run->is_doubtful || !is_covered(walk, run) ||
	    !interpreter_is_steady(walk, frame, is_of_one_run))
		return running(walk)->knows(walk->reader.memory->context, &call);
	interpreter_learn_call(walk, &call, frame, run->callee, is_of_one_run);
	return true;
}

/* A frame was reached from another one, or as the innermost. */
static void interpreter_enter_frame(struct pywalk *walk, struct run *run, const struct frame *frame,
				    bool is_of_one_run)
{
	if (!running(walk))
		return;
	if (frame->is_shim) {
		run->is_doubtful |= run->callee && !interpreter_is_steady(walk, frame, false);
		return;
	}
	if (run->callee && !is_caller(walk, run, frame, is_of_one_run)) {
		walk->count = 0;
		run->begin = 0;
		run->prepared = 0;
	}
	run->callee = frame->address;
	run->callee_code = frame->code;
	run->is_of_generator = frame->is_generator;
	run->is_doubtful = false;
}

/* The frame that one is calling, by the usual distance of such frames; 0 = it calls none. */
static uint64_t find_callee(struct pywalk *walk, const struct frame *caller, struct frame *callee)
{
	void *context = walk->reader.memory->context;
	struct pycall call = {.caller = caller->code, .offset = caller->offset};
	uint32_t distance = running(walk)->distance(context, caller->code);

	if (!distance || caller->is_shim || caller->is_generator ||
	    !is_in_call(&walk->runtime->layout, caller) ||
	    !interpreter_take_frame(walk, caller->address + distance, callee) || callee->is_shim ||
	    callee->previous != caller->address)
		return 0;
	call.callee = callee->code;
	return running(walk)->knows(context, &call) ? callee->address : 0;
}

/* The pointer to the innermost frame is read before the frames are: find calls since then. */
static uint64_t find_innermost(struct pywalk *walk, uint64_t address)
{
	struct frame frames[2];
	uint64_t callee;

	if (!interpreter_take_frame(walk, address, &frames[0]))
		return address;
	for (int i = 0; i < DEEPER_MAX; i++) {
		callee = find_callee(walk, &frames[i % 2], &frames[(i + 1) % 2]);
		if (!callee)
			break;
		address = callee;
	}
	return address;
}

static bool interpreter_emit(struct pywalk *walk, uint64_t address, uint64_t code, uint32_t offset)
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

/* The run's outermost frame was reached: it is an entry. */
static bool end_run(struct pywalk *walk, const struct run *run, uint64_t c_address)
{
	/* All of its frames were skipped: one that has not started is better than none. */
	if (walk->count == run->begin && run->prepared &&
	    !interpreter_emit(walk, 0, run->prepared, KYMO_FRAME_NO_OFFSET))
		return false;
	if (walk->count > run->begin) {
		walk->frames[walk->count - 1].is_entry = true;
		walk->frames[walk->count - 1].c_address = c_address;
	}
	return true;
}

/* Up to 3.12: true when the frame that called the run is current in the previous cframe. */
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
		else if (!frame->is_shim &&
			 !interpreter_emit(walk, frame->address, frame->code, frame->offset))
			return PYSTACK_CUT;
		if (frame->is_shim || frame->is_entry)
			break;
		if (!frame->previous || !interpreter_take_frame(walk, frame->previous, frame))
			return PYSTACK_TORN;
		interpreter_enter_frame(walk, run, frame, true);
	}
	/* Of another process: a generator that was suspended between two reads. */
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
	interpreter_enter_frame(walk, &run, &frame, false);
	for (;;) {
		status = walk_run(walk, &run, &frame);
		if (status != PYSTACK_OK || !frame.previous)
			return status;
		if (!interpreter_take_frame(walk, frame.previous, &frame))
			return PYSTACK_TORN;
		interpreter_enter_frame(walk, &run, &frame, false);
	}
}

static void begin_anew(struct pywalk *walk)
{
	walk->count = 0;
	walk->earlier = 0;
	walk->steps = 0;
}

static enum pystack_status walk_deepest(struct pywalk *walk, uint64_t cframe, uint64_t address)
{
	begin_anew(walk);
	if (running(walk)) {
		address = find_innermost(walk, address);
		begin_anew(walk);
	}
	return walk_runs(walk, cframe, address);
}

/* The word at address, and, of a running thread, its value later. */
static bool read_both(struct pywalk *walk, uint64_t address, uint64_t *word, uint64_t *word_later)
{
	const unsigned char *later;

	if (!pyread_word(&walk->reader, address, word))
		return false;
	later = running(walk) ? running(walk)->later(walk->reader.memory->context, address,
						     sizeof(*word_later))
			      : NULL;
	*word_later = later ? pyread_field(later, 0) : 0;
	return later || !running(walk);
}

/* The end of the memory of frames; from 3.16 on, that of the innermost one. */
static bool find_low_end(struct pywalk *walk, uint64_t innermost, uint64_t innermost_later)
{
	const struct pylayout *layout = &walk->runtime->layout;
	uint64_t end = innermost + 1, end_later = innermost_later + 1;

	if (layout->thread.datastack_top != PYLAYOUT_NONE &&
	    !read_both(walk, walk->thread + layout->thread.datastack_top, &end, &end_later))
		return false;
	walk->low_end = end < end_later ? end : end_later;
	return true;
}

/* From the frame that the pointer at address points to.  Of a running thread it may have changed
 * when the frames are read: the deeper one of both is used, and the walk checks which of its frames
 * are valid. */
static enum pystack_status walk_from(struct pywalk *walk, uint64_t cframe, uint64_t address)
{
	uint64_t innermost, later;
	enum pystack_status status;

	if (!read_both(walk, address, &innermost, &later) ||
	    (running(walk) && !find_low_end(walk, innermost, later)))
		return PYSTACK_TORN;
	if (later > innermost && later - innermost < NEAR) {
		status = walk_deepest(walk, cframe, later);
		if (status != PYSTACK_TORN)
			return status;
	}
	return walk_deepest(walk, cframe, innermost);
}

/* Up to 3.12: from a cframe on. */
static enum pystack_status walk_cframe(struct pywalk *walk, uint64_t cframe)
{
	if (!pyread_is_object(cframe))
		return PYSTACK_TORN;
	return walk_from(walk, cframe, cframe + walk->runtime->layout.cframe.current_frame);
}

/* The same with a current frame that is known otherwise; 0 = it is not. */
static enum pystack_status walk_restart(struct pywalk *walk, uint64_t cframe, uint64_t frame)
{
	if (!frame)
		return walk_cframe(walk, cframe);
	begin_anew(walk);
	return walk_runs(walk, cframe, frame);
}

/* From a register that is right: the caller of a frame that is not linked to it yet, or the cframe
 * before an uninitialised one.  The innermost has the most frames. */
static enum pystack_status walk_registers(struct pywalk *walk, uint64_t cframe)
{
	const struct pyreader *reader = &walk->reader;
	uint64_t best[2] = {0, 0};
	size_t most = 0;

	for (size_t i = 0; i < walk->word_count; i++) {
		uint64_t word = walk->words[i], from[2] = {cframe, word};

		if (word > cframe && word - cframe < CFRAMES_APART &&
		    pyread_probe(reader, word, CFRAME_BYTES)) {
			from[0] = word;
			from[1] = 0;
		} else if ((word < reader->mapped_low || word >= reader->mapped_high) &&
			   (word < reader->guarded_low || word >= reader->guarded_high)) {
			continue;
		}
		if (walk_restart(walk, from[0], from[1]) == PYSTACK_OK && walk->count > most) {
			most = walk->count;
			memcpy(best, from, sizeof(best));
		}
	}
	return most ? walk_restart(walk, best[0], best[1]) : PYSTACK_TORN;
}

/* Only the outermost cframe, which is in the thread's state, has no frames. */
static bool interpreter_is_possible(const struct pywalk *walk, uint64_t cframe,
				    enum pystack_status status)
{
	return status != PYSTACK_TORN &&
	       (walk->count > 0 || cframe - walk->thread < walk->runtime->layout.thread.size);
}

/* Does the thread wait at its position?  For another process: its innermost evaluation is the same
 * before and after reading it. */
static bool is_waiting_still(struct pywalk *walk, uint64_t cframe)
{
	const struct pylayout *layout = &walk->runtime->layout;
	const uint64_t places[] = {walk->thread + layout->thread.cframe,
				   cframe + layout->cframe.current_frame,
				   cframe + layout->cframe.previous};
	uint64_t word, later;

	if (!walk->reader.memory || !running(walk))
		return !walk->reader.memory;
	for (int i = 0; i < 3; i++)
		if (!read_both(walk, places[i], &word, &later) || word != later)
			return false;
	return true;
}

enum pystack_status pywalk_interpreter(struct pywalk *walk)
{
	const struct pylayout *layout = &walk->runtime->layout;
	enum pystack_status status;
	uint64_t address, newest;

	if (layout->thread.cframe == PYLAYOUT_NONE)
		return walk_from(walk, 0, walk->thread + layout->thread.current_frame);
	if (!pyread_word(&walk->reader, walk->thread + layout->thread.cframe, &address))
		return PYSTACK_TORN;
	status = walk_cframe(walk, address);
	/* For a running thread it would be the wrong result. */
	if (interpreter_is_possible(walk, address, status) || !pyread_is_object(address) ||
	    !is_waiting_still(walk, address))
		return status;
	newest = address;
	if (pyread_word(&walk->reader, address + layout->cframe.previous, &address) && address)
		status = walk_cframe(walk, address);
	return interpreter_is_possible(walk, address, status) ? status
							      : walk_registers(walk, newest);
}

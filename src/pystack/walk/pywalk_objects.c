/* Frames up to 3.10: objects, each with an evaluation of its own. 3.10 keeps a cframe on the C
 * stack for each evaluation.  An evaluation that is entered has its cframe before its frame is
 * current, one that ends loses it first: then the chains differ in length by one, which shows at
 * their ends, unless one is being entered. */
#include "pystack/walk/pywalk_objects.h"

#include <string.h>

#include "format/format.h"
#include "pystack/walk/pywalk.h"

#define HEAD_MAX 120u /* bytes of a frame object that are needed */

struct cframes {
	uint64_t at;	   /* the one of the next frame, 0 = none */
	uint64_t thread;   /* the outermost one is in the thread state, it has no frame */
	uint64_t high;	   /* end of the thread state */
	bool is_wrong;	   /* inconsistent */
	bool is_too_short; /* a frame had none left */
};

static bool is_outermost(const struct cframes *cframes, uint64_t cframe)
{
	return cframe >= cframes->thread && cframe < cframes->high;
}

static void begin_cframes(struct pywalk *walk, struct cframes *cframes)
{
	const struct pylayout *layout = &walk->runtime->layout;

	memset(cframes, 0, sizeof(*cframes));
	cframes->thread = walk->thread;
	cframes->high = walk->thread + layout->thread.size;
	if (layout->thread.cframe == PYLAYOUT_NONE ||
	    !pyread_word(&walk->reader, walk->thread + layout->thread.cframe, &cframes->at) ||
	    !pyread_is_object(cframes->at))
		cframes->is_wrong = true;
}

/* The cframe of the next frame, 0 = none is left. */
static uint64_t next_cframe(struct pywalk *walk, struct cframes *cframes)
{
	uint64_t cframe = cframes->at;

	if (cframes->is_wrong)
		return 0;
	if (is_outermost(cframes, cframe)) {
		cframes->is_wrong = cframes->is_too_short;
		cframes->is_too_short = true;
		return 0;
	}
	if (!pyread_word(&walk->reader, cframe + walk->runtime->layout.cframe.previous,
			 &cframes->at) ||
	    !pyread_is_object(cframes->at)) {
		cframes->is_wrong = true;
		return 0;
	}
	return cframe;
}

/* All frames have been walked: match cframes and frames from the outermost on.  A surplus one
 * belongs to an evaluation that has just begun, or to a greenlet, which has one of its own: then
 * the result is unknown. */
static void match_cframes(struct pywalk *walk, struct cframes *cframes)
{
	struct pyframe *frames = walk->frames;

	if (cframes->is_wrong || (!cframes->is_too_short && !is_outermost(cframes, cframes->at))) {
		for (size_t i = 0; i < walk->count; i++)
			frames[i].c_address = 0;
	} else if (cframes->is_too_short) {
		for (size_t i = walk->count - 1; i > 0; i--)
			frames[i].c_address = frames[i - 1].c_address;
		frames[0].c_address = 0;
	}
}

/* A frame of another process that returned between two reads has no caller any more: it must not be
 * taken for the outermost one. */
static bool objects_is_running(const struct pywalk *walk, const unsigned char *head)
{
	const struct pylayout *layout = &walk->runtime->layout;

	return !walk->reader.memory || layout->frame.running >= HEAD_MAX ||
	       head[layout->frame.running] == layout->frame.running_value;
}

static bool objects_take_frame(struct pywalk *walk, uint64_t frame, uint64_t *previous_out)
{
	const struct pylayout *layout = &walk->runtime->layout;
	struct pyframe *to = &walk->frames[walk->count];
	unsigned char buffer[HEAD_MAX];
	const unsigned char *head;
	struct pycode_shape shape;
	int32_t last;

	if (!pyread_is_object(frame) || pywalk_is_cycle(walk, frame))
		return false;
	head = pyread_at(&walk->reader, frame, buffer, sizeof(buffer));
	if (!head)
		return false;
	to->code = pyread_field(head, layout->frame.code);
	if (!pywalk_measure(walk->runtime, &walk->reader, to->code, &shape))
		return false;
	last = (int32_t)pyread_field32(head, layout->frame.instruction);
	if (last < -1 || last > INT32_MAX / 2)
		return false;
	to->offset =
		last < 0 ? KYMO_FRAME_NO_OFFSET : (uint32_t)last * layout->frame.instruction_unit;
	to->is_entry = true;
	*previous_out = pyread_field(head, layout->frame.previous);
	return *previous_out != 0 || objects_is_running(walk, head);
}

enum pystack_status pywalk_objects(struct pywalk *walk)
{
	struct cframes cframes;
	uint64_t frame, previous;

	if (!pyread_word(&walk->reader, walk->thread + walk->runtime->layout.thread.frame, &frame))
		return PYSTACK_TORN;
	begin_cframes(walk, &cframes);
	for (; frame; frame = previous) {
		if (walk->count == walk->capacity)
			return PYSTACK_CUT;
		if (!objects_take_frame(walk, frame, &previous))
			return PYSTACK_TORN;
		if (walk->addresses)
			walk->addresses[walk->count] = frame;
		walk->frames[walk->count++].c_address = next_cframe(walk, &cframes);
	}
	if (walk->count > 0)
		match_cframes(walk, &cframes);
	return PYSTACK_OK;
}

uint64_t pystack_outermost_object(const struct pyruntime *runtime, const struct pymemory *memory,
				  uint64_t thread)
{
	const struct pylayout *layout = &runtime->layout;
	struct pywalk walk = {.runtime = runtime};
	uint64_t frame = 0, caller;

	if (layout->thread.frame == PYLAYOUT_NONE)
		return 0;
	pyreader_begin(&walk.reader, memory);
	if (!pyread_word(&walk.reader, thread + layout->thread.frame, &caller))
		return 0;
	while (caller) {
		frame = caller;
		if (!pyread_is_object(frame) || pywalk_is_cycle(&walk, frame) ||
		    !pyread_word(&walk.reader, frame + layout->frame.previous, &caller))
			return 0;
	}
	return frame;
}

/* The layouts that headers tell, and those that the interpreter publishes.
 * _Py_DebugOffsets is a list of words after a cookie: version, whether there is no GIL, then
 * groups of offsets, whose places depend on the version.  Each is checked against what the
 * headers of that version say, or, where they are not known, against the others. */
#include "pystack/pylayout.h"

#include <stddef.h>
#include <string.h>

#define FINAL_RELEASE 0xc0u /* release level of PY_VERSION_HEX: candidates and finals */

/* The table is that of one processor: locks have other sizes elsewhere. */
static const struct pylayout layouts[] = {
#ifdef __x86_64__
#include "pystack/pylayout_table.def"
#endif
	{.version = 0},
};

const struct pylayout *pylayout_find(uint16_t version)
{
	for (const struct pylayout *layout = layouts; layout->version; layout++)
		if (layout->version == version)
			return layout;
	return NULL;
}

/* ---- published offsets --------------------------------------------------------- */

/* Indices of words behind the cookie: where each group begins, in one version. */
struct places {
	uint16_t version;
	uint8_t words; /* up to and with the group of strings */
	uint8_t runtime, interpreter, gil, thread, frame, code, object, bytes, unicode;
};

static const struct places known_places[] = {
	{0x030d, 70, 2, 5, 13, 18, 27, 33, 43, 63, 66},
	{0x030e, 80, 2, 5, 14, 21, 30, 38, 49, 73, 76},
};

static const struct places *find_places(uint16_t version)
{
	for (size_t i = 0; i < sizeof(known_places) / sizeof(known_places[0]); i++)
		if (known_places[i].version == version)
			return &known_places[i];
	return NULL;
}

/* What 3.14 does not publish: as its sources have it, and as in 3.13. */
static bool begin_with(uint16_t version, struct pylayout *layout)
{
	const struct pylayout *last = pylayout_find(0x030d);

	if (!last)
		return false;
	*layout = *last;
	if (version == layout->version)
		return true;
	layout->version = version;
	layout->thread.datastack_top = PYLAYOUT_NONE;
	layout->frame.code_is_tagged = 1;
	return true;
}

/* An offset inside of something that has the size; marks the layout when it is not. */
static uint32_t inside(uint64_t offset, uint64_t size, uint64_t width, bool *is_right)
{
	if (offset > size || size - offset < width || offset > UINT32_MAX)
		*is_right = false;
	return (uint32_t)offset;
}

static bool take_states(const struct places *places, const uint64_t *words, struct pylayout *layout)
{
	const uint64_t *runtime = words + places->runtime, *interp = words + places->interpreter,
		       *gil = words + places->gil, *thread = words + places->thread;
	bool is_right = true;

	layout->runtime.size = inside(runtime[0], UINT32_MAX, 0, &is_right);
	layout->runtime.finalizing = inside(runtime[1], runtime[0], 8, &is_right);
	layout->runtime.interpreters_head = inside(runtime[2], runtime[0], 8, &is_right);
	layout->interpreter.id = inside(interp[1], interp[0], 8, &is_right);
	layout->interpreter.next = inside(interp[2], interp[0], 8, &is_right);
	layout->interpreter.threads_head = inside(interp[3], interp[0], 8, &is_right);
	layout->interpreter.gil = inside(gil[0], interp[0], 8, &is_right);
	/* The interpreter's own GIL, whose fields are known from 3.13. */
	if (gil[3] != gil[1] + layout->gil.locked || gil[4] != gil[1] + layout->gil.last_holder)
		is_right = false;
	layout->thread.size = inside(thread[0], 1u << 20, 0, &is_right);
	layout->thread.next = inside(thread[2], thread[0], 8, &is_right);
	layout->thread.interp = inside(thread[3], thread[0], 8, &is_right);
	layout->thread.current_frame = inside(thread[4], thread[0], 8, &is_right);
	layout->thread.thread_id = inside(thread[5], thread[0], 8, &is_right);
	layout->thread.native_thread_id = inside(thread[6], thread[0], 8, &is_right);
	layout->thread.datastack_chunk = inside(thread[7], thread[0], 8, &is_right);
	return is_right;
}

static bool take_frames(const struct places *places, const uint64_t *words, struct pylayout *layout)
{
	const uint64_t *frame = words + places->frame, *code = words + places->code;
	bool is_right = frame[0] <= 256 && code[0] <= 4096;

	/* Frames are read up to their locals, and code objects, to tell them from one another,
	 * up to the line table. */
	layout->frame.size = inside(frame[4], frame[0], 0, &is_right);
	layout->frame.previous = inside(frame[1], frame[4], 8, &is_right);
	layout->frame.code = inside(frame[2], frame[4], 8, &is_right);
	layout->frame.instruction = inside(frame[3], frame[4], 8, &is_right);
	layout->frame.owner = inside(frame[5], frame[4], 1, &is_right);
	layout->code.size = (uint32_t)code[0];
	layout->code.filename = inside(code[1], code[4], 8, &is_right);
	layout->code.name = inside(code[2], code[4], 8, &is_right);
	layout->code.qualname = inside(code[3], code[0], 8, &is_right);
	layout->code.lines = inside(code[4], code[0], 8, &is_right);
	layout->code.first_line = inside(code[5], code[4], 4, &is_right);
	/* co_flags stands before co_argcount, _co_firsttraceable two words before the code. */
	layout->code.flags = inside(code[6] - 4, code[0], 4, &is_right);
	layout->code.instructions = inside(code[9], code[0], 0, &is_right);
	layout->code.first_traceable = inside(code[9] - 16, code[0], 4, &is_right);
	return is_right;
}

static bool take_objects(const struct places *places, const uint64_t *words,
			 struct pylayout *layout)
{
	const uint64_t *object = words + places->object, *bytes = words + places->bytes,
		       *unicode = words + places->unicode;

	/* These have been the same for years: another value means that the groups are not
	 * where they are looked for. */
	return object[0] == 16 && object[1] == layout->object.type &&
	       bytes[1] == layout->object.bytes_size && bytes[2] == layout->object.bytes_data &&
	       unicode[1] == layout->object.state && unicode[2] == layout->object.length &&
	       unicode[3] == layout->object.ascii_data;
}

static bool take_published(const struct places *places, const uint64_t *words,
			   struct pylayout *layout)
{
	return begin_with(places->version, layout) && take_states(places, words, layout) &&
	       take_frames(places, words, layout) && take_objects(places, words, layout);
}

bool pylayout_published(const void *bytes, uint32_t size, struct pylayout *out,
			const char **reason_out)
{
	uint64_t words[PYLAYOUT_PUBLISHED_MAX / 8];
	const struct places *places = NULL;
	const char *reason = NULL;
	struct pylayout layout;

	if (size > sizeof(words))
		size = sizeof(words);
	if (size < 4 * 8 || memcmp(bytes, "xdebugpy", 8) != 0) {
		reason = "the interpreter does not publish its layout";
	} else {
		memcpy(words, (const char *)bytes + 8, size - 8);
		places = find_places((uint16_t)(words[0] >> 16));
		if (words[0] > UINT32_MAX || !places || (words[0] & 0xff) < FINAL_RELEASE)
			reason = "the layout of this version of Python is not known";
		else if (words[1] != 0)
			reason = "a free-threaded Python cannot be sampled";
		else if (size < 8u * (1u + places->words) ||
			 !take_published(places, words, &layout))
			reason = "the interpreter publishes a layout that cannot be";
	}
	if (reason_out)
		*reason_out = reason;
	if (!reason)
		*out = layout;
	return !reason;
}

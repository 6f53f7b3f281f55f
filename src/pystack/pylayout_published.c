/* The layout that an interpreter publishes: _Py_DebugOffsets, words after a cookie.
 *
 * They are the version, whether the GIL is disabled, then groups of offsets, one per structure, in
 * an order that has never changed; only the lengths of the groups differ between versions.  So each
 * group is searched after the previous one, by its expected contents, which also supports versions
 * released later.  Offsets that are not published are taken from the headers of that version, or,
 * for a newer one, from those of the newest known. */
#include "pystack/pylayout_published.h"

#include <stddef.h>
#include <string.h>

#include "pystack/pylayout.h"

#define CANDIDATE	  0xc0u /* release level of PY_VERSION_HEX, of finals it is higher */
#define FIRST_PUBLISHED	  0x030du
#define INTERPRETER_GROUP 5u /* index of the word; nothing before it has ever moved */
#define RUNTIME_GROUP	  2u

struct words {
	const uint64_t *at;
	size_t count, next; /* end of the previous group */
};

/* Conditions on the words of a group; layout is that of the nearest version. */
typedef bool (*fits_fn)(const uint64_t *group, const struct pylayout *layout);

static bool fits_gil(const uint64_t *group, const struct pylayout *layout)
{
	/* Pointer to the GIL; the interpreter's own, whether it is off, locked, holder. */
	return group[0] % 8 == 0 && group[2] == 0 && group[3] == group[1] + layout->gil.locked &&
	       group[4] == group[1] + layout->gil.last_holder;
}

static bool fits_thread(const uint64_t *group, const struct pylayout *layout)
{
	/* Size, previous, next, interpreter, current frame. */
	return group[1] == 0 && group[2] == layout->thread.next &&
	       group[3] == layout->thread.interp && group[4] % 8 == 0 && group[4] < group[0];
}

static bool fits_thread_ids(const uint64_t *group, const struct pylayout *layout)
{
	(void)layout;
	/* Handle, kernel id, memory of frames; the status is before them. */
	return group[1] == group[0] + 8 && group[2] > group[1] && group[3] < group[0];
}

static bool fits_frame(const uint64_t *group, const struct pylayout *layout)
{
	/* Size, previous, code, instruction, locals, owner. */
	return group[1] == layout->frame.previous && group[2] == layout->frame.code &&
	       group[3] % 8 == 0 && group[4] % 8 == 0 && group[4] <= group[0] &&
	       group[5] < group[4];
}

static bool fits_code(const uint64_t *group, const struct pylayout *layout)
{
	(void)layout;
	/* Size, filename, name, qualname, line table, ... */
	return group[1] % 8 == 0 && group[2] == group[1] + 8 && group[3] == group[1] + 16 &&
	       group[4] > group[3] && group[4] < group[0];
}

static bool fits_object(const uint64_t *group, const struct pylayout *layout)
{
	return group[0] == 16 && group[1] == layout->object.type;
}

static bool fits_bytes(const uint64_t *group, const struct pylayout *layout)
{
	return group[0] > group[2] && group[1] == layout->object.bytes_size &&
	       group[2] == layout->object.bytes_data;
}

static bool fits_unicode(const uint64_t *group, const struct pylayout *layout)
{
	return group[0] > group[3] && group[1] == layout->object.state &&
	       group[2] == layout->object.length && group[3] == layout->object.ascii_data;
}

/* The next group of so many words that matches; NULL: there is none. */
static const uint64_t *find_group(struct words *words, size_t size, fits_fn fits,
				  const struct pylayout *layout)
{
	for (size_t i = words->next; i + size <= words->count; i++) {
		if (!fits(words->at + i, layout))
			continue;
		words->next = i + size;
		return words->at + i;
	}
	return NULL;
}

/* An offset within a structure of that size; marks the layout as wrong otherwise. */
static uint32_t inside(uint64_t offset, uint64_t size, uint64_t width, bool *is_right)
{
	if (offset > size || size - offset < width || offset > UINT32_MAX)
		*is_right = false;
	return (uint32_t)offset;
}

static bool take_interpreter(struct words *words, struct pylayout *layout)
{
	const uint64_t *runtime = words->at + RUNTIME_GROUP, *gil;
	const uint64_t *interp = words->at + INTERPRETER_GROUP;
	bool is_right = true;

	words->next = INTERPRETER_GROUP + 4;
	gil = find_group(words, 5, fits_gil, layout);
	if (!gil)
		return false;
	layout->runtime.size = inside(runtime[0], UINT32_MAX, 0, &is_right);
	layout->runtime.finalizing = inside(runtime[1], runtime[0], 8, &is_right);
	layout->runtime.interpreters_head = inside(runtime[2], runtime[0], 8, &is_right);
	layout->interpreter.id = inside(interp[1], interp[0], 8, &is_right);
	layout->interpreter.next = inside(interp[2], interp[0], 8, &is_right);
	layout->interpreter.threads_head = inside(interp[3], interp[0], 8, &is_right);
	layout->interpreter.gil = inside(gil[0], interp[0], 8, &is_right);
	inside(gil[1], interp[0], layout->gil.size, &is_right);
	return is_right;
}

/* The order of datastack_chunk and datastack_top is known only from the headers. */
static bool take_thread(struct words *words, struct pylayout *layout, bool is_known)
{
	const uint64_t *thread = find_group(words, 5, fits_thread, layout);
	const uint64_t *ids = thread ? find_group(words, 4, fits_thread_ids, layout) : NULL;
	bool is_right = true;

	if (!ids)
		return false;
	layout->thread.size = inside(thread[0], 1u << 20, 0, &is_right);
	layout->thread.next = inside(thread[2], thread[0], 8, &is_right);
	layout->thread.interp = inside(thread[3], thread[0], 8, &is_right);
	layout->thread.current_frame = inside(thread[4], thread[0], 8, &is_right);
	layout->thread.thread_id = inside(ids[0], thread[0], 8, &is_right);
	layout->thread.native_thread_id = inside(ids[1], thread[0], 8, &is_right);
	layout->thread.datastack_chunk = inside(ids[2], thread[0], 16, &is_right);
	layout->thread.datastack_top =
		is_known ? layout->thread.datastack_chunk + 8 : PYLAYOUT_NONE;
	return is_right;
}

/* Frames are read up to their locals. */
static bool published_take_frame(struct words *words, struct pylayout *layout, bool is_known)
{
	const uint64_t *frame = find_group(words, 6, fits_frame, layout);
	bool is_right = frame && frame[0] <= 256;

	if (!is_right)
		return false;
	layout->frame.size = inside(frame[4], frame[0], 0, &is_right);
	layout->frame.previous = inside(frame[1], frame[4], 8, &is_right);
	layout->frame.code = inside(frame[2], frame[4], 8, &is_right);
	layout->frame.instruction = inside(frame[3], frame[4], 8, &is_right);
	layout->frame.owner = inside(frame[5], frame[4], 1, &is_right);
	/* From 3.14 on the pointer to its values follows. */
	if (layout->frame.stack_is_pointer && frame + 6 < words->at + words->count &&
	    frame[6] % 8 == 0 && frame[6] > 0 && frame[6] < frame[4])
		layout->frame.stack = (uint32_t)frame[6];
	if (!is_known)
		layout->frame.return_offset = PYLAYOUT_NONE;
	inside(layout->frame.stack, frame[4], layout->frame.stack_is_pointer ? 8 : 4, &is_right);
	return is_right;
}

/* Code objects are read up to the line table, to identify them. */
static bool published_take_code(struct words *words, struct pylayout *layout)
{
	const uint64_t *code = find_group(words, 10, fits_code, layout);
	bool is_right = code && code[0] <= 4096;

	if (!is_right)
		return false;
	layout->code.size = (uint32_t)code[0];
	layout->code.filename = inside(code[1], code[4], 8, &is_right);
	layout->code.name = inside(code[2], code[4], 8, &is_right);
	layout->code.qualname = inside(code[3], code[0], 8, &is_right);
	layout->code.lines = inside(code[4], code[0], 8, &is_right);
	layout->code.first_line = inside(code[5], code[4], 4, &is_right);
	/* co_flags precedes co_argcount, _co_firsttraceable is two words before the code. */
	layout->code.flags = inside(code[6] - 4, code[0], 4, &is_right);
	layout->code.instructions = inside(code[9], code[0], 0, &is_right);
	layout->code.first_traceable = inside(code[9] - 16, code[0], 4, &is_right);
	return is_right;
}

static bool take_published(struct words *words, struct pylayout *layout, bool is_known)
{
	return take_interpreter(words, layout) && take_thread(words, layout, is_known) &&
	       published_take_frame(words, layout, is_known) &&
	       published_take_code(words, layout) && find_group(words, 2, fits_object, layout) &&
	       find_group(words, 3, fits_bytes, layout) &&
	       find_group(words, 4, fits_unicode, layout);
}

/* Publishing versions with known headers, and all later ones. */
static const struct pylayout *published_nearest(uint64_t hexversion)
{
	uint16_t version = (uint16_t)(hexversion >> 16);
	const struct pylayout *newest = pylayout_newest(), *known = pylayout_find(version);

	if (hexversion >> 24 != 3 || version < FIRST_PUBLISHED)
		return NULL;
	return known || !newest || version < newest->version ? known : newest;
}

/* Prereleases may differ from their headers in unpublished offsets. */
static bool is_as_its_headers(uint64_t hexversion, const struct pylayout *nearest)
{
	return nearest->version == (uint16_t)(hexversion >> 16) && (hexversion & 0xff) >= CANDIDATE;
}

bool pylayout_published(const void *bytes, uint32_t size, struct pylayout *out,
			const char **reason_out)
{
	uint64_t copy[PYLAYOUT_PUBLISHED_MAX / 8];
	struct words words = {.at = copy};
	const struct pylayout *start;
	const char *reason = NULL;
	struct pylayout layout;

	if (size > sizeof(copy))
		size = sizeof(copy);
	if (size < 12 * 8 || memcmp(bytes, "xdebugpy", 8) != 0) {
		reason = "the interpreter does not publish its layout";
	} else {
		memcpy(copy, (const char *)bytes + 8, size - 8);
		words.count = size / 8 - 1;
		start = published_nearest(copy[0]);
		if (!start) {
			reason = "the layout of this version of Python is not known";
		} else if (copy[1] != 0) {
			reason = "a free-threaded Python cannot be sampled";
		} else {
			layout = *start;
			layout.version = (uint16_t)(copy[0] >> 16);
			if (!take_published(&words, &layout, is_as_its_headers(copy[0], start)))
				reason = "the interpreter publishes a layout that cannot be";
		}
	}
	if (reason_out)
		*reason_out = reason;
	if (!reason)
		*out = layout;
	return !reason;
}

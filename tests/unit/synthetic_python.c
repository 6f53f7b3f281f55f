/* An interpreter's memory, made up. */
#include "synthetic_python.h"

#include <assert.h>
#include <string.h>

#include "format/format.h"
#include "pystack/pylayout_published.h"

#define RUNTIME_BYTES 2048u /* the fields that are read are at its beginning */

static bool read_it(void *context, uint64_t address, void *to, size_t size)
{
	struct synthetic_python *python = context;
	uint64_t at = address - SYNTHETIC_PYTHON_BASE;

	if (at > SYNTHETIC_PYTHON_SIZE || size > SYNTHETIC_PYTHON_SIZE - at)
		return false;
	memcpy(to, python->bytes + at, size);
	return true;
}

void synthetic_python_put(struct synthetic_python *python, uint64_t address, const void *bytes,
			  size_t size)
{
	uint64_t at = address - SYNTHETIC_PYTHON_BASE;

	assert(at <= SYNTHETIC_PYTHON_SIZE && size <= SYNTHETIC_PYTHON_SIZE - at);
	memcpy(python->bytes + at, bytes, size);
}

void synthetic_python_word(struct synthetic_python *python, uint64_t address, uint64_t value)
{
	synthetic_python_put(python, address, &value, sizeof(value));
}

uint64_t synthetic_python_look(const struct synthetic_python *python, uint64_t address)
{
	uint64_t value;

	memcpy(&value, python->bytes + (address - SYNTHETIC_PYTHON_BASE), sizeof(value));
	return value;
}

uint64_t synthetic_python_room(struct synthetic_python *python, size_t size)
{
	uint64_t address = python->next;

	python->next += (size + 15) & ~(size_t)15;
	assert(python->next <= SYNTHETIC_PYTHON_BASE + SYNTHETIC_PYTHON_SIZE);
	return address;
}

/* As much of an interpreter as walks and the GIL need: it runs, and the thread holds the GIL. */
static void make_interpreter(struct synthetic_python *python)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t interpreter = synthetic_python_room(python, 512);
	uint64_t gil = python->runtime.runtime + layout->runtime.gil, threads = 0;

	if (layout->runtime.gil == PYLAYOUT_NONE) {
		gil = synthetic_python_room(python, layout->gil.size);
		synthetic_python_word(python, interpreter + layout->interpreter.gil, gil);
	}
	if (layout->interpreter.threads_head < 512)
		threads = interpreter + layout->interpreter.threads_head;
	if (threads)
		synthetic_python_word(python, threads, python->thread);
	synthetic_python_word(python, python->runtime.runtime + layout->runtime.interpreters_head,
			      interpreter);
	synthetic_python_word(python, python->thread + layout->thread.interp, interpreter);
	synthetic_python_put(python, gil + layout->gil.locked, "\1", 1);
	synthetic_python_word(python, gil + layout->gil.last_holder, python->thread);
}

void synthetic_python_init(struct synthetic_python *python, uint16_t version)
{
	uint64_t words[1 + SYNTHETIC_PYTHON_WORDS] = {0};

	memset(python, 0, sizeof(*python));
	python->memory = (struct pymemory){.read = read_it, .context = python};
	python->next = SYNTHETIC_PYTHON_BASE + 64;
	python->runtime.hexversion = (uint32_t)version << 16 | 0xf0;
	if (version < 0x030d) {
		python->runtime.layout = *pylayout_find(version);
	} else {
		memcpy(words, "xdebugpy", 8);
		synthetic_python_publish(python->runtime.hexversion, words + 1);
		if (!pylayout_published(words, sizeof(words), &python->runtime.layout, NULL))
			assert(false);
	}
	python->runtime.runtime = synthetic_python_room(python, RUNTIME_BYTES);
	python->runtime.code_type = synthetic_python_room(python, 16);
	python->thread = synthetic_python_room(python, 1024);
	make_interpreter(python);
}

uint64_t synthetic_python_code(struct synthetic_python *python, unsigned units, unsigned first)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t code = synthetic_python_room(python, layout->code.size + 2 * units + 16);

	synthetic_python_word(python, code + layout->object.type, python->runtime.code_type);
	if (layout->frame.instruction_is_pointer) {
		synthetic_python_word(python, code + layout->object.bytes_size, units);
		synthetic_python_put(python, code + layout->code.first_traceable, &first,
				     sizeof(first));
	}
	return code;
}

uint64_t synthetic_python_frame(struct synthetic_python *python, uint64_t previous, uint64_t code,
				uint32_t offset)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t frame = synthetic_python_room(python, layout->frame.size + 64);
	uint32_t unit = layout->frame.instruction_unit;
	int32_t last = offset == KYMO_FRAME_NO_OFFSET ? -1 : (int32_t)(offset / unit);

	synthetic_python_word(python, frame + layout->frame.previous, previous);
	synthetic_python_word(python, frame + layout->frame.code,
			      code | (layout->frame.code_is_tagged ? 1 : 0));
	if (layout->frame.running != PYLAYOUT_NONE)
		synthetic_python_put(python, frame + layout->frame.running,
				     &layout->frame.running_value, 1);
	if (layout->frame.instruction_is_pointer)
		synthetic_python_word(python, frame + layout->frame.instruction,
				      code + layout->code.instructions +
					      (uint64_t)((int64_t)last * unit));
	else
		synthetic_python_put(python, frame + layout->frame.instruction, &last,
				     sizeof(last));
	return frame;
}

uint64_t synthetic_python_shim(struct synthetic_python *python, uint64_t previous)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t frame = synthetic_python_room(python, layout->frame.size);

	synthetic_python_word(python, frame + layout->frame.previous, previous);
	synthetic_python_put(python, frame + layout->frame.owner, &layout->frame.owner_c_stack, 1);
	return frame;
}

uint64_t synthetic_python_cframe(struct synthetic_python *python, uint64_t previous,
				 uint64_t current)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t cframe = synthetic_python_room(python, 32);

	synthetic_python_word(python, cframe + layout->cframe.previous, previous);
	if (layout->cframe.current_frame != PYLAYOUT_NONE)
		synthetic_python_word(python, cframe + layout->cframe.current_frame, current);
	return cframe;
}

void synthetic_python_run(struct synthetic_python *python, uint64_t innermost)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint32_t at = layout->thread.current_frame;

	if (layout->thread.frame != PYLAYOUT_NONE)
		at = layout->thread.frame;
	else if (layout->thread.cframe != PYLAYOUT_NONE)
		at = layout->thread.cframe;
	synthetic_python_word(python, python->thread + at, innermost);
}

static uint64_t *put_group(uint64_t *to, const uint64_t *values, size_t count)
{
	memcpy(to, values, count * sizeof(*values));
	return to + count;
}

/* 3.16 is made up: every group is longer than in 3.15, and some are new. */
void synthetic_python_publish(uint32_t hexversion, uint64_t *words)
{
	bool is_3_14 = hexversion >> 16 >= 0x030e, is_3_15 = hexversion >> 16 >= 0x030f;
	bool is_later = hexversion >> 16 >= 0x0310;
	uint64_t runtime[] = {300000, 608, 632};
	uint64_t interpreter[] = {200000, 7272, 7264, 7344};
	uint64_t gil[] = {7400, 7656, 7640, 7648, 16, 7752, 0, 7768, 7760};
	uint64_t thread[] = {904, 0, 8, 16, 72}, profiled[] = {80, 88, 96};
	uint64_t ids[] = {152, 160, 232, 32}, holds[] = {36, 40, 136, 288, 0};
	uint64_t frame[] = {88, 8, 0, 56, 80, 74, 64, 0};
	uint64_t code[] = {216, 112, 120, 128, 136, 68, 52, 96, 104, 208, 0};
	uint64_t object[] = {16, 8}, type[] = {416, 24, 88, 168}, heap[] = {32, 288, 944, 888};
	uint64_t sequences[] = {32, 24, 16, 40, 24, 16}, set[] = {200, 24, 40, 32};
	uint64_t numbers[] = {48, 32, 40, 24, 16, 32, 16, 24};
	uint64_t texts[] = {40, 16, 32, 64, 32, 16, 40, 56};
	uint64_t extra[] = {7700, 7800, 7900};
	uint64_t *at = words;

	*at++ = hexversion;
	*at++ = 0;
	at = put_group(at, runtime, 3);
	at = put_group(at, interpreter, 4);
	at = put_group(at, extra, is_later ? 3 : is_3_14); /* threads_main */
	at = put_group(at, gil, 9);
	at = put_group(at, extra, is_later ? 3 : is_3_14 ? 2 : 0);
	at = put_group(at, thread, 5);
	at = put_group(at, profiled, is_3_15 ? 3 : 0);
	at = put_group(at, ids, 4);
	at = put_group(at, holds, is_3_15 ? 5 : 0);
	at = put_group(at, frame, is_3_14 ? 8 : 6);
	at = put_group(at, extra, is_later);
	at = put_group(at, code, is_3_14 ? 11 : 10);
	at = put_group(at, extra, is_later ? 2 : 0);
	at = put_group(at, object, 2);
	at = put_group(at, type, 4);
	at = put_group(at, heap, is_3_15 ? 4 : 0);
	at = put_group(at, sequences, 6);
	at = put_group(at, set, is_3_14 ? 4 : 0);
	at = put_group(at, numbers, 8);
	put_group(at, texts, is_3_15 ? 8 : 7);
}

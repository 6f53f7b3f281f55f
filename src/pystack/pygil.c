/* The GIL: in _PyRuntime up to 3.11, one per interpreter, by a pointer, from 3.12 on. */
#include "pystack/pygil.h"

static uint64_t interpreter_of(const struct pyruntime *runtime, struct pyreader *reader,
			       uint64_t thread)
{
	const struct pylayout *layout = &runtime->layout;
	uint64_t address = thread ? thread + layout->thread.interp
				  : runtime->runtime + layout->runtime.interpreters_head;
	uint64_t interpreter, next;

	if (!pyread_word(reader, address, &interpreter) || !pyread_is_object(interpreter))
		return 0;
	/* The list begins with the newest; the main one is the last. */
	for (int count = 0; !thread && count < 1024; count++) {
		if (!pyread_word(reader, interpreter + layout->interpreter.next, &next))
			return 0;
		if (!pyread_is_object(next))
			break;
		interpreter = next;
	}
	return interpreter;
}

uint64_t pygil_address(const struct pyruntime *runtime, struct pyreader *reader, uint64_t thread)
{
	const struct pylayout *layout = &runtime->layout;
	uint64_t interpreter, gil;

	if (layout->runtime.gil != PYLAYOUT_NONE)
		return runtime->runtime + layout->runtime.gil;
	if (layout->interpreter.gil == PYLAYOUT_NONE)
		return 0;
	interpreter = interpreter_of(runtime, reader, thread);
	if (!interpreter || !pyread_word(reader, interpreter + layout->interpreter.gil, &gil) ||
	    !pyread_is_object(gil))
		return 0;
	return gil;
}

bool pygil_holder(const struct pyruntime *runtime, struct pyreader *reader, uint64_t gil,
		  uint64_t *holder_out)
{
	uint32_t locked;
	uint64_t holder;

	if (!pyread_u32(reader, gil + runtime->layout.gil.locked, &locked) ||
	    !pyread_word(reader, gil + runtime->layout.gil.last_holder, &holder))
		return false;
	if (locked > 1 && locked != UINT32_MAX) /* -1: not created yet */
		return false;
	*holder_out = locked == 1 ? holder : 0;
	return true;
}

bool pygil_read(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t thread,
		struct pygil *out)
{
	const struct pylayout *layout = &runtime->layout;
	struct pyreader reader;
	struct pygil gil;

	pyreader_begin(&reader, memory);
	gil.address = pygil_address(runtime, &reader, thread);
	if (!gil.address || !pygil_holder(runtime, &reader, gil.address, &gil.holder))
		return false;
	gil.size = layout->gil.size;
	gil.condition = gil.address + layout->gil.condition;
	gil.switch_condition = gil.address + layout->gil.switch_condition;
	*out = gil;
	return true;
}

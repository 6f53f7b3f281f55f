/* An interpreter from the addresses of its symbols: its version, its layout, and whether the data
 * found through it is consistent. */
#include <string.h>

#include "pystack/pyruntime.h"
#include "pystack/pylayout_published.h"
#include "pystack/pymemory.h"
#include "pystack/pyread.h"

#define FINAL_RELEASE 0xc0u /* release level of PY_VERSION_HEX: candidates and finals */

const char *const pysymbol_names[PYSYMBOL_COUNT] = {
	[PYSYMBOL_RUNTIME] = "_PyRuntime",
	[PYSYMBOL_EVALUATE] = "_PyEval_EvalFrameDefault",
	[PYSYMBOL_CODE_TYPE] = "PyCode_Type",
	[PYSYMBOL_NONE] = "_Py_NoneStruct",
	[PYSYMBOL_THIS_THREAD] = "PyGILState_GetThisThreadState",
	[PYSYMBOL_VERSION] = "Py_Version",
	[PYSYMBOL_SINCE_3_10] = "Py_NewRef",
	[PYSYMBOL_SINCE_3_9] = "PyFrame_GetCode",
	[PYSYMBOL_SINCE_3_8] = "PyCode_NewWithPosOnlyArgs",
};

/* PY_VERSION_HEX, 0 = older than supported, or unreadable. */
static uint32_t read_version(const uint64_t *addresses, struct pyreader *reader)
{
	uint32_t version;

	if (addresses[PYSYMBOL_VERSION])
		return pyread_u32(reader, addresses[PYSYMBOL_VERSION], &version) ? version : 0;
	if (addresses[PYSYMBOL_SINCE_3_10])
		return 0x030a0000u | FINAL_RELEASE;
	if (addresses[PYSYMBOL_SINCE_3_9])
		return 0x03090000u | FINAL_RELEASE;
	return addresses[PYSYMBOL_SINCE_3_8] ? 0x03080000u | FINAL_RELEASE : 0;
}

/* The published offsets, which may be shorter than the longest of all versions. */
static bool read_published(struct pyreader *reader, uint64_t runtime, struct pylayout *layout,
			   const char **reason_out)
{
	unsigned char bytes[PYLAYOUT_PUBLISHED_MAX];

	if (!pyread(reader, runtime, bytes, sizeof(bytes))) {
		*reason_out = "the interpreter's memory cannot be read";
		return false;
	}
	return pylayout_published(bytes, sizeof(bytes), layout, reason_out);
}

bool pyruntime_from(const uint64_t addresses[PYSYMBOL_COUNT], const struct pymemory *memory,
		    struct pyruntime *out, const char **reason_out)
{
	struct pyruntime found = {.runtime = addresses[PYSYMBOL_RUNTIME],
				  .evaluate = addresses[PYSYMBOL_EVALUATE],
				  .code_type = addresses[PYSYMBOL_CODE_TYPE],
				  .none = addresses[PYSYMBOL_NONE]};
	const struct pylayout *layout;
	const char *reason = NULL;
	struct pyreader reader;

	pyreader_begin(&reader, memory);
	found.hexversion = read_version(addresses, &reader);
	layout = pylayout_find((uint16_t)(found.hexversion >> 16));
	if (found.hexversion >> 16 >= 0x030d)
		read_published(&reader, found.runtime, &found.layout, &reason);
	else if (layout && (found.hexversion & 0xff) >= FINAL_RELEASE)
		found.layout = *layout;
	else
		reason = "the layout of this version of Python is not known";
	if (!reason && found.layout.version != found.hexversion >> 16)
		reason = "the interpreter publishes the layout of another version";
	if (reason_out)
		*reason_out = reason;
	if (!reason)
		*out = found;
	return !reason;
}

/* True when the state of a thread of the interpreter is consistent.  It is the newest, which may
 * end and be freed concurrently. */
static bool is_thread_of(const struct pylayout *layout, struct pyreader *reader,
			 uint64_t interpreter)
{
	uint64_t thread, back;

	return pyread_word(reader, interpreter + layout->interpreter.threads_head, &thread) &&
	       pyread_is_object(thread) &&
	       pyread_checked(reader, thread + layout->thread.interp, &back, sizeof(back)) &&
	       back == interpreter;
}

/* The type of types is its own type, and the type of PyCode_Type. */
static bool is_type(const struct pyruntime *runtime, struct pyreader *reader)
{
	uint64_t type, own;

	return pyread_word(reader, runtime->code_type + runtime->layout.object.type, &type) &&
	       pyread_is_object(type) &&
	       pyread_word(reader, type + runtime->layout.object.type, &own) && own == type;
}

/* Checked whatever is known of its page: a library that is being unloaded may disappear at any
 * moment, while the loader still lists it. */
static bool pyruntime_is_there(const struct pyruntime *runtime, const struct pyreader *reader)
{
	uint32_t first = runtime->layout.runtime.finalizing;
	uint32_t last = runtime->layout.runtime.interpreters_head;

	if (first > last) {
		first = last;
		last = runtime->layout.runtime.finalizing;
	}
	return pyread_probe(reader, runtime->runtime + first, last + 8 - first);
}

bool pyruntime_is_ready(const struct pyruntime *runtime, const struct pymemory *memory)
{
	const struct pylayout *layout = &runtime->layout;
	uint64_t finalizing, interpreter;
	struct pyreader reader;

	pyreader_begin(&reader, memory);
	return pyruntime_is_there(runtime, &reader) &&
	       pyread_word(&reader, runtime->runtime + layout->runtime.finalizing, &finalizing) &&
	       finalizing == 0 &&
	       pyread_word(&reader, runtime->runtime + layout->runtime.interpreters_head,
			   &interpreter) &&
	       pyread_is_object(interpreter) && is_thread_of(layout, &reader, interpreter) &&
	       (runtime->code_type == 0 || is_type(runtime, &reader));
}

bool pyruntime_is_running(const struct pyruntime *runtime)
{
	const struct pylayout *layout = &runtime->layout;
	uint64_t finalizing, interpreter;
	struct pyreader reader;

	pyreader_begin(&reader, NULL);
	return pyread_word(&reader, runtime->runtime + layout->runtime.finalizing, &finalizing) &&
	       finalizing == 0 &&
	       pyread_word(&reader, runtime->runtime + layout->runtime.interpreters_head,
			   &interpreter) &&
	       pyread_is_object(interpreter);
}

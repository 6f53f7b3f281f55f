/* Deciding about a code object: filter, then intern its region.  The slow path of an
 * event, once per code object and configuration. */
#include "codecache.h"

#include "filter.h"
#include "greenlets.h"
#include "labels.h"

struct codecache codecache = {.index = -1};

/* The private layout is used only if a value stored by the API was found there. */
static bool layout_is_known(void)
{
	static int probe;
	PyCodeObject *code = PyCode_NewEmpty("kymo", "probe", 1);
	const struct code_extra *extra;
	bool is_known = false;

	if (!code)
		return false;
	if (code_set_extra((PyObject *)code, codecache.index, &probe) == 0) {
		extra = (const struct code_extra *)code->co_extra;
		is_known = extra && extra->size > codecache.index && extra->size < 256 &&
			   extra->values[codecache.index] == &probe;
	}
	Py_DECREF(code);
	return is_known;
}

int codecache_init(void)
{
	if (codecache.index >= 0)
		return 0;
	codecache.index = code_request_extra(NULL);
	if (codecache.index < 0) {
		PyErr_SetString(PyExc_RuntimeError,
				"the interpreter has no free slot for data of code objects");
		return -1;
	}
	codecache.is_layout_known = layout_is_known();
	codecache_renew();
	return 0;
}

void codecache_renew(void)
{
	codecache.epoch = (codecache.epoch + 1) & 0xffffffu;
	/* Annotated events need the slow path: no word has this tag. */
	codecache.record_tag =
		collector.annotate ? UINT32_MAX : codecache.epoch << CODE_EPOCH_SHIFT | CODE_RECORD;
}

void codecache_set(PyCodeObject *code, uint64_t word)
{
	if (code_set_extra((PyObject *)code, codecache.index, (void *)(uintptr_t)word) < 0)
		PyErr_Clear(); /* it will be decided again */
}

static uint64_t make_word(uint32_t region, enum code_action action, uint32_t marks)
{
	return (uint64_t)region << 32 | codecache.epoch << CODE_EPOCH_SHIFT | marks | action;
}

/* Generators are marked if their creation looks like a call (frame evaluation on 3.11 and later)
 * and if their identity is recorded (traces). */
bool codecache_marks(const PyCodeObject *code)
{
	if (!(code->co_flags & CODE_IS_GENERATOR))
		return false;
	if (collector.mode & KYMO_MODE_TRACE)
		return true;
	return PY_VERSION_HEX >= 0x030b0000 && collector.active == &frame_instrumenter;
}

uint64_t codecache_decide(PyCodeObject *code)
{
	PyObject *type, *value, *traceback;
	enum code_action action;
	uint32_t region = 0, marks = 0;
	uint64_t word;

	PyErr_Fetch(&type, &value, &traceback);
	greenlets_notice();
	action = filter_decide(code);
	if (action == CODE_RECORD || action == CODE_LABEL || action == CODE_IMPORT) {
		region = label_intern_code(code, NULL);
		if (region == 0)
			action = CODE_SKIP; /* the recording is full */
	}
	if (codecache_marks(code))
		marks |= CODE_GENERATOR;
	if (collector.trace_c && filter_drops_c_calls(code))
		marks |= CODE_DROPS_C;
	word = make_word(region, action, marks);
	codecache_set(code, word);
	PyErr_Restore(type, value, traceback);
	return word;
}

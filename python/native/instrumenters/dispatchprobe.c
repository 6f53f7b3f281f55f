/* Nothing of the calls is recorded: their code is decided to be left out, so that the callbacks,
 * which get these events as well, answer DISABLE. */
#include "instrumenters/dispatchprobe.h"

#include "codecache.h"

#if PY_VERSION_HEX >= 0x030c0000

#define SEEN_MAX 16

static const char program[] = "def called(value):\n"
			      "    return value\n"
			      "def numbers(value):\n"
			      "    yield value\n";

enum probe_code { CALLED, NUMBERS, PROBE_CODES };

struct seen {
	enum dispatch_function function;
	int event;
	PyCodeObject *code; /* NULL = there is no such thread or frame */
	ptrdiff_t offset;   /* of the instruction, in units */
	PyObject *argument;
};

struct expected {
	enum dispatch_function function;
	int event;
	enum probe_code code;
	bool has_value; /* the argument is that of the call */
};

static const struct expected expected[] = {
	{DISPATCH_PLAIN, PY_MONITORING_EVENT_PY_START, CALLED, false},
	{DISPATCH_ARGUMENT, PY_MONITORING_EVENT_PY_RETURN, CALLED, true},
	{DISPATCH_PLAIN, PY_MONITORING_EVENT_PY_START, NUMBERS, false},
	{DISPATCH_ARGUMENT, PY_MONITORING_EVENT_PY_YIELD, NUMBERS, true},
	{DISPATCH_PLAIN, PY_MONITORING_EVENT_PY_RESUME, NUMBERS, false},
	{DISPATCH_ARGUMENT, PY_MONITORING_EVENT_PY_RETURN, NUMBERS, false},
};
#define EXPECTED (sizeof(expected) / sizeof(*expected))

struct dispatch_probe {
	PyObject *names;
	PyObject *functions[PROBE_CODES]; /* borrowed */
	PyObject *value;
};

static PyCodeObject *codes[PROBE_CODES]; /* of the calls of the probe that there is */
static const dispatch_fn *handed_on;	 /* to, while it is looked at */
static struct seen all_seen[SEEN_MAX];
static unsigned seen_count;

/* Whatever the function is, nothing is followed here that the registers of another one would lead
 * astray.  What other code does meanwhile, of other threads and tools, does not count. */
static void see(enum dispatch_function function, PyThreadState *state, int event, eval_frame *frame,
		_Py_CODEUNIT *at, PyObject *argument)
{
	struct seen *seen = &all_seen[seen_count];

	if (seen_count == SEEN_MAX)
		return;
	*seen = (struct seen){function, event, NULL, 0, argument};
	if (state == PyThreadState_Get() && frame == innermost_frame()) {
		seen->code = EVAL_FRAME_CODE(frame);
		seen->offset = at - _PyCode_CODE(seen->code);
		if (!dispatchprobe_has_code((PyObject *)seen->code))
			return;
	}
	seen_count++;
}

static int see_plain(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,
		     PyObject *first, PyObject *second)
{
	see(DISPATCH_PLAIN, state, event, frame, at, NULL);
	return handed_on[DISPATCH_PLAIN](state, event, frame, at, first, second);
}

static int see_argument(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,
			PyObject *first, PyObject *second)
{
	see(DISPATCH_ARGUMENT, state, event, frame, at, first);
	return handed_on[DISPATCH_ARGUMENT](state, event, frame, at, first, second);
}

const dispatch_fn dispatchprobe_functions[DISPATCH_FUNCTIONS] = {see_plain, see_argument};

static bool is_as_expected(const struct dispatch_probe *probe, const struct seen *seen,
			   const struct expected *wanted)
{
	return seen->function == wanted->function && seen->event == wanted->event &&
	       seen->code == codes[wanted->code] && seen->offset >= 0 &&
	       seen->offset < Py_SIZE(seen->code) &&
	       (!wanted->has_value || seen->argument == probe->value);
}

static bool are_as_expected(const struct dispatch_probe *probe)
{
	if (seen_count != EXPECTED)
		return false;
	for (unsigned i = 0; i < EXPECTED; i++)
		if (!is_as_expected(probe, &all_seen[i], &expected[i]))
			return false;
	return true;
}

bool dispatchprobe_call(struct dispatch_probe *probe)
{
	PyObject *result = PyObject_CallOneArg(probe->functions[CALLED], probe->value);
	PyObject *generator =
		result ? PyObject_CallOneArg(probe->functions[NUMBERS], probe->value) : NULL;
	PyObject *first = generator ? PyIter_Next(generator) : NULL;
	PyObject *second = first ? PyIter_Next(generator) : NULL;
	bool is_right = result == probe->value && first == probe->value && !second;

	Py_XDECREF(second);
	Py_XDECREF(first);
	Py_XDECREF(generator);
	Py_XDECREF(result);
	is_right = is_right && !PyErr_Occurred();
	PyErr_Clear();
	return is_right;
}

bool dispatchprobe_has_code(const PyObject *code)
{
	return code == (PyObject *)codes[CALLED] || code == (PyObject *)codes[NUMBERS];
}

bool dispatchprobe_is_right(struct dispatch_probe *probe,
			    const dispatch_fn original[DISPATCH_FUNCTIONS])
{
	seen_count = 0;
	handed_on = original;
	for (int i = 0; i < PROBE_CODES; i++)
		codecache_set(codes[i], codecache.epoch << CODE_EPOCH_SHIFT | CODE_SKIP);
	return dispatchprobe_call(probe) && are_as_expected(probe);
}

struct dispatch_probe *dispatchprobe_new(void)
{
	struct dispatch_probe *probe = PyMem_Calloc(1, sizeof(*probe));
	PyObject *code = Py_CompileString(program, "<probe>", Py_file_input), *result = NULL;

	if (probe)
		probe->names = PyDict_New();
	if (probe && probe->names && code &&
	    PyDict_SetItemString(probe->names, "__builtins__", PyEval_GetBuiltins()) == 0)
		result = PyEval_EvalCode(code, probe->names, probe->names);
	Py_XDECREF(code);
	if (result) {
		Py_DECREF(result);
		probe->functions[CALLED] = PyDict_GetItemString(probe->names, "called");
		probe->functions[NUMBERS] = PyDict_GetItemString(probe->names, "numbers");
		for (int i = 0; i < PROBE_CODES; i++)
			codes[i] = (PyCodeObject *)PyFunction_GET_CODE(probe->functions[i]);
		probe->value = PyUnicode_FromString("probe value");
	}
	if (result && probe->value)
		return probe;
	dispatchprobe_free(probe);
	return NULL;
}

void dispatchprobe_free(struct dispatch_probe *probe)
{
	if (!probe)
		return;
	codes[CALLED] = codes[NUMBERS] = NULL;
	Py_XDECREF(probe->value);
	Py_XDECREF(probe->names);
	PyMem_Free(probe);
}

#endif

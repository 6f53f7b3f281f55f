/* The calls are not recorded: they are made with another tool than Kymo's. */
#include "instrumenters/dispatchprobe.h"

#if DISPATCH_IS_KNOWN

#define SEEN_MAX 32

static const char program[] = "def called(value):\n"
			      "    return value\n"
			      "def numbers(value):\n"
			      "    yield value\n"
			      "def calls(function, value):\n"
			      "    return function(value)\n";

enum probe_code { CALLED, NUMBERS, CALLS, PROBE_CODES };

struct dispatch_probe {
	PyObject *names;
	PyObject *functions[PROBE_CODES]; /* borrowed */
	PyObject *value, *length;	  /* what calls() is called with */
};

struct seen {
	enum dispatch_function function;
	int event;
	PyCodeObject *code; /* NULL = there is no such thread or frame */
	ptrdiff_t offset;   /* of the instruction, in units */
	PyObject *first, *second;
};

enum probe_argument { NOTHING, VALUE, LENGTH, SOMETHING };

struct expected {
	enum dispatch_function function;
	int event;
	enum probe_code code;
	enum probe_argument first, second;
};

static const struct expected expected[] = {
	{DISPATCH_PLAIN, PY_MONITORING_EVENT_PY_START, CALLED, NOTHING, NOTHING},
	{DISPATCH_ARGUMENT, PY_MONITORING_EVENT_PY_RETURN, CALLED, VALUE, NOTHING},
	{DISPATCH_PLAIN, PY_MONITORING_EVENT_PY_START, NUMBERS, NOTHING, NOTHING},
	{DISPATCH_ARGUMENT, PY_MONITORING_EVENT_PY_YIELD, NUMBERS, VALUE, NOTHING},
	{DISPATCH_PLAIN, PY_MONITORING_EVENT_PY_RESUME, NUMBERS, NOTHING, NOTHING},
	{DISPATCH_ARGUMENT, PY_MONITORING_EVENT_PY_RETURN, NUMBERS, SOMETHING, NOTHING},
	{DISPATCH_PLAIN, PY_MONITORING_EVENT_PY_START, CALLS, NOTHING, NOTHING},
	{DISPATCH_TWO, PY_MONITORING_EVENT_CALL, CALLS, LENGTH, VALUE},
	{DISPATCH_TWO, PY_MONITORING_EVENT_C_RETURN, CALLS, LENGTH, VALUE},
	{DISPATCH_ARGUMENT, PY_MONITORING_EVENT_PY_RETURN, CALLS, SOMETHING, NOTHING},
};
#define EXPECTED (sizeof(expected) / sizeof(*expected))

static PyCodeObject *codes[PROBE_CODES]; /* of the probe that there is */
static const dispatch_fn *handed_on;	 /* to, while it is looked at */
static struct seen all_seen[SEEN_MAX];
static unsigned seen_count;

static bool is_of_probe(const PyCodeObject *code)
{
	for (int i = 0; i < PROBE_CODES; i++)
		if (code == codes[i])
			return true;
	return false;
}

/* A function may get events of the others as well, and passes them on. */
static bool is_for_function(enum dispatch_function function, int event)
{
	switch (event) {
	case PY_MONITORING_EVENT_PY_START:
	case PY_MONITORING_EVENT_PY_RESUME:
		return function == DISPATCH_PLAIN;
	case PY_MONITORING_EVENT_PY_RETURN:
	case PY_MONITORING_EVENT_PY_YIELD:
		return function == DISPATCH_ARGUMENT;
	case PY_MONITORING_EVENT_CALL:
	case PY_MONITORING_EVENT_C_RETURN:
		return function == DISPATCH_TWO;
	}
	return true;
}

/* The function may be another one with other arguments: no pointer is followed before it was
 * compared.  Events of other code, such as other threads or tools, are ignored. */
static void see(enum dispatch_function function, PyThreadState *state, int event, eval_frame *frame,
		_Py_CODEUNIT *at, PyObject *first, PyObject *second)
{
	struct seen *seen = &all_seen[seen_count];

	if (seen_count == SEEN_MAX)
		return;
	*seen = (struct seen){function, event, NULL, 0, first, second};
	if (state == PyThreadState_Get() && frame == innermost_frame()) {
		seen->code = EVAL_FRAME_CODE(frame);
		seen->offset = at - _PyCode_CODE(seen->code);
		if (!is_of_probe(seen->code) || !is_for_function(function, event))
			return;
	}
	seen_count++;
}

#define SEE(name, function)                                                                        \
	static int name(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,      \
			PyObject *first, PyObject *second)                                         \
	{                                                                                          \
		see(function, state, event, frame, at, first, second);                             \
		return handed_on[function](state, event, frame, at, first, second);                \
	}
SEE(see_plain, DISPATCH_PLAIN)
SEE(see_argument, DISPATCH_ARGUMENT)
SEE(see_two, DISPATCH_TWO)

const dispatch_fn dispatchprobe_functions[DISPATCH_FUNCTIONS] = {see_plain, see_argument, see_two};

static bool is_argument(const struct dispatch_probe *probe, const PyObject *found,
			enum probe_argument wanted)
{
	if (wanted == VALUE)
		return found == probe->value;
	return wanted != LENGTH || found == probe->length;
}

static bool is_as_expected(const struct dispatch_probe *probe, const struct seen *seen,
			   const struct expected *wanted)
{
	return seen->function == wanted->function && seen->event == wanted->event &&
	       seen->code == codes[wanted->code] && seen->offset >= 0 &&
	       seen->offset < Py_SIZE(seen->code) &&
	       is_argument(probe, seen->first, wanted->first) &&
	       is_argument(probe, seen->second, wanted->second);
}

static bool are_as_expected(const struct dispatch_probe *probe)
{
	unsigned at = 0;

	for (unsigned i = 0; i < EXPECTED; i++) {
		if (!handed_on[expected[i].function])
			continue;
		if (at == seen_count || !is_as_expected(probe, &all_seen[at], &expected[i]))
			return false;
		at++;
	}
	return at == seen_count;
}

/* A call whose result is given back at once; false: it is not what was expected. */
static bool call_and_drop(PyObject *function, PyObject *first, PyObject *second,
			  const PyObject *wanted)
{
	PyObject *result = PyObject_CallFunctionObjArgs(function, first, second, NULL);
	bool is_right = result && (!wanted || result == wanted);

	Py_XDECREF(result);
	return is_right;
}

static bool use_up(PyObject *generator, const PyObject *wanted)
{
	PyObject *first = generator ? PyIter_Next(generator) : NULL;
	PyObject *second = first ? PyIter_Next(generator) : NULL;
	bool is_right = first == wanted && !second;

	Py_XDECREF(second);
	Py_XDECREF(first);
	Py_XDECREF(generator);
	return is_right;
}

bool dispatchprobe_call(struct dispatch_probe *probe)
{
	PyObject *const *functions = probe->functions;
	bool is_right =
		call_and_drop(functions[CALLED], probe->value, NULL, probe->value) &&
		use_up(PyObject_CallOneArg(functions[NUMBERS], probe->value), probe->value) &&
		call_and_drop(functions[CALLS], probe->length, probe->value, NULL) &&
		!PyErr_Occurred();

	PyErr_Clear();
	return is_right;
}

bool dispatchprobe_has_all(const PyObject *code)
{
	return code == (PyObject *)codes[CALLS];
}

bool dispatchprobe_is_right(struct dispatch_probe *probe,
			    const dispatch_fn original[DISPATCH_FUNCTIONS])
{
	seen_count = 0;
	handed_on = original;
	return dispatchprobe_call(probe) && are_as_expected(probe);
}

static bool take_functions(struct dispatch_probe *probe)
{
	static const char *const names[PROBE_CODES] = {"called", "numbers", "calls"};

	for (int i = 0; i < PROBE_CODES; i++) {
		probe->functions[i] = PyDict_GetItemString(probe->names, names[i]);
		if (!probe->functions[i])
			return false;
		codes[i] = (PyCodeObject *)PyFunction_GET_CODE(probe->functions[i]);
	}
	probe->value = PyUnicode_FromString("probe value");
	probe->length = PyDict_GetItemString(PyEval_GetBuiltins(), "len");
	Py_XINCREF(probe->length);
	return probe->value && probe->length;
}

struct dispatch_probe *dispatchprobe_new(void)
{
	struct dispatch_probe *probe = PyMem_Calloc(1, sizeof(*probe));
	PyObject *code = Py_CompileString(program, "<probe>", Py_file_input), *result = NULL;
	bool is_made = false;

	if (probe)
		probe->names = PyDict_New();
	if (probe && probe->names && code &&
	    PyDict_SetItemString(probe->names, "__builtins__", PyEval_GetBuiltins()) == 0)
		result = PyEval_EvalCode(code, probe->names, probe->names);
	Py_XDECREF(code);
	if (result)
		is_made = take_functions(probe);
	Py_XDECREF(result);
	if (is_made)
		return probe;
	dispatchprobe_free(probe);
	return NULL;
}

void dispatchprobe_free(struct dispatch_probe *probe)
{
	if (!probe)
		return;
	for (int i = 0; i < PROBE_CODES; i++)
		codes[i] = NULL;
	Py_XDECREF(probe->length);
	Py_XDECREF(probe->value);
	Py_XDECREF(probe->names);
	PyMem_Free(probe);
}

static PyObject *answer_nothing(PyObject *self, PyObject *const *arguments, size_t count,
				PyObject *keywords)
{
	(void)self, (void)arguments, (void)count, (void)keywords;
	Py_RETURN_NONE;
}

const struct monitoring_binding dispatchprobe_bindings[] = {
	{"PY_START", answer_nothing, false},  {"PY_RESUME", answer_nothing, false},
	{"PY_RETURN", answer_nothing, false}, {"PY_YIELD", answer_nothing, false},
	{"PY_UNWIND", answer_nothing, false}, {"CALL", answer_nothing, false},
	{"C_RETURN", answer_nothing, true},   {NULL, NULL, false},
};

#endif

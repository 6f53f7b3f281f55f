/* Instrumenter `monitoring`: the interpreter's own event interface (PEP 669, 3.12+).
 *
 * Callbacks are objects with a vectorcall slot of their own, a third cheaper than built-in
 * functions.  For a function that the filter drops the callback returns DISABLE, after which its
 * location costs nothing.  Enters (PY_START, PY_RESUME, PY_THROW) and leaves (PY_RETURN, PY_YIELD,
 * PY_UNWIND) balance per code object; where signals are handled before the event of a visit, RAISE
 * reports visits that end or continue with a handler's exception. */
#include "events.h"

#include "bytecode.h"

#if PY_VERSION_HEX >= 0x030c0000

#include "internal/pycore_genobject.h"

struct callback {
	PyObject_HEAD vectorcallfunc call;
};

static PyTypeObject callback_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kymo._native.callback",
	.tp_basicsize = sizeof(struct callback),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
	.tp_vectorcall_offset = offsetof(struct callback, call),
	.tp_call = PyVectorcall_Call,
};

/* Tool ids in the order they are tried: other profilers require 2. */
static const int tool_ids[] = {3, 4, 2};

static PyObject *monitoring; /* sys.monitoring, while running */
static PyObject *disable;    /* sys.monitoring.DISABLE, kept */
static int tool_id = -1;
static uint32_t disabled_epoch; /* of the decisions that locations were disabled for */

static uint64_t generator_identity(void)
{
	return (uint64_t)(uintptr_t)innermost_frame();
}

/* An uncommon enter.  If only this location is dropped it is disabled; locations of hidden
 * functions must continue to count. */
static __attribute__((noinline)) PyObject *enter_slow(struct kymo_thread *thread,
						      PyCodeObject *code, uint64_t word,
						      PyObject *offset, bool may_disable)
{
	struct enter_source source = {.offset = -1};

	if (code->co_flags & CODE_IS_GENERATOR)
		source.identity = generator_identity();
	source.offset = (int)PyLong_AsLong(offset);
	events_enter_slow(thread, code, word, &source);
	word = codecache_word(code);
	if (may_disable && word_is_valid(word) && word_action(word) == CODE_SKIP)
		return Py_NewRef(disable);
	Py_RETURN_NONE;
}

static __attribute__((noinline)) PyObject *leave_slow(struct kymo_thread *thread, uint64_t word,
						      enum kymo_event_kind kind, bool may_disable)
{
	events_leave_slow(thread, word, kind, false);
	if (may_disable && word_is_valid(word) && word_action(word) == CODE_SKIP)
		return Py_NewRef(disable);
	Py_RETURN_NONE;
}

static inline __attribute__((always_inline)) PyObject *
monitoring_enter(PyObject *const *arguments, bool may_disable, unsigned mode)
{
	PyCodeObject *code = (PyCodeObject *)arguments[0];
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);

	if (kymo_unlikely((word_tag(word) & ~CODE_GENERATOR) != codecache.record_tag ||
			  !kymo_admits(thread)))
		return enter_slow(thread, code, word, arguments[1], may_disable);
	if ((mode & KYMO_MODE_TRACE) && (word & CODE_GENERATOR))
		kymo_enter_with(thread, word_region(word), KYMO_EVENT_RESUME, generator_identity(),
				mode);
	else
		kymo_enter(thread, word_region(word), mode);
	Py_RETURN_NONE;
}

static inline __attribute__((always_inline)) PyObject *monitoring_leave(PyObject *const *arguments,
									enum kymo_event_kind kind,
									bool may_disable,
									unsigned mode)
{
	PyCodeObject *code = (PyCodeObject *)arguments[0];
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);

	if (kymo_unlikely((word_tag(word) & ~CODE_GENERATOR) != codecache.record_tag ||
			  !kymo_admits(thread)))
		return leave_slow(thread, word, kind, may_disable);
	kymo_leave(thread, word_region(word), kind, mode);
	Py_RETURN_NONE;
}

/* One function for every event and mode, each without tests of the mode. */
#define CALLBACK(name, body)                                                                       \
	static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count,            \
			      PyObject *keywords)                                                  \
	{                                                                                          \
		(void)self, (void)count, (void)keywords;                                           \
		return body;                                                                       \
	}

#if BYTECODE_SIGNALS_FIRST

/* An exception thrown into a generator may be raised at its RESUME as well, but had an event. */
static PyObject *throw(PyObject *const *arguments, unsigned mode)
{
	struct thread_notes *notes = thread_notes(kymo_thread());

	if (notes)
		notes->thrown = generator_identity();
	return monitoring_enter(arguments, false, mode);
}

/* The first RAISE after a throw belongs to it, at any instruction; a later one in a frame at the
 * same address does not. */
static bool was_thrown(void)
{
	struct thread_notes *notes = thread_notes(kymo_thread());
	bool is_reported = notes && notes->thrown == generator_identity();

	if (notes)
		notes->thrown = 0;
	return is_reported;
}

static PyObject *raise_at(PyObject *const *arguments)
{
	const PyCodeObject *code = (const PyCodeObject *)arguments[0];

	if (was_thrown() ||
	    kymo_likely(!bytecode_is_resume(code, (int)PyLong_AsLong(arguments[1]))))
		Py_RETURN_NONE;
	return monitoring_enter(arguments, false, collector.mode);
}

CALLBACK(on_raise, raise_at(arguments))

#else

static PyObject *throw(PyObject *const *arguments, unsigned mode)
{
	return monitoring_enter(arguments, false, mode);
}

#define on_raise NULL

#endif

#define CALLBACKS(suffix, mode)                                                                    \
	CALLBACK(on_enter_##suffix, monitoring_enter(arguments, true, mode))                       \
	CALLBACK(on_throw_##suffix, throw(arguments, mode))                                        \
	CALLBACK(on_leave_##suffix, monitoring_leave(arguments, KYMO_EVENT_LEAVE, true, mode))     \
	CALLBACK(on_unwind_##suffix, monitoring_leave(arguments, KYMO_EVENT_UNWIND, false, mode))
CALLBACKS(profile, KYMO_MODE_PROFILE)
CALLBACKS(trace, KYMO_MODE_TRACE)
CALLBACKS(both, KYMO_MODE_PROFILE | KYMO_MODE_TRACE)
CALLBACKS(positions, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS)
CALLBACKS(any, collector.mode)

static PyObject *on_c_call(PyObject *self, PyObject *const *arguments, size_t count,
			   PyObject *keywords)
{
	(void)self, (void)count, (void)keywords;
	events_enter_c((PyCodeObject *)arguments[0], arguments[2]);
	Py_RETURN_NONE;
}

static PyObject *monitoring_leave_c(PyObject *const *arguments, enum kymo_event_kind kind)
{
	events_leave_c((PyCodeObject *)arguments[0], arguments[2], kind);
	Py_RETURN_NONE;
}

CALLBACK(on_c_return, monitoring_leave_c(arguments, KYMO_EVENT_LEAVE))
CALLBACK(on_c_raise, monitoring_leave_c(arguments, KYMO_EVENT_UNWIND))

struct callback_set {
	vectorcallfunc enter, throw, leave, unwind;
};

static const struct callback_set *callbacks_for(unsigned mode)
{
#define SET(suffix)                                                                                \
	{                                                                                          \
		on_enter_##suffix, on_throw_##suffix, on_leave_##suffix, on_unwind_##suffix        \
	}
	static const struct callback_set sets[] = {SET(profile), SET(trace), SET(both),
						   SET(positions), SET(any)};
#undef SET

	switch (mode) {
	case KYMO_MODE_PROFILE:
		return &sets[0];
	case KYMO_MODE_TRACE:
		return &sets[1];
	case KYMO_MODE_PROFILE | KYMO_MODE_TRACE:
		return &sets[2];
	case KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS:
		return &sets[3];
	default:
		return &sets[4];
	}
}

/* Claim a free tool id.  0, or -1 with an exception. */
static int claim_tool(void)
{
	for (size_t i = 0; i < sizeof(tool_ids) / sizeof(*tool_ids); i++) {
		PyObject *result =
			PyObject_CallMethod(monitoring, "use_tool_id", "is", tool_ids[i], "kymo");

		if (result) {
			Py_DECREF(result);
			tool_id = tool_ids[i];
			return 0;
		}
		PyErr_Clear();
	}
	PyErr_SetString(PyExc_ValueError,
			"sys.monitoring has no free tool id; choose --instrumenter-type frame");
	return -1;
}

/* Register call for an event by name; NULL unregisters.  The event's bit, or -1. */
static long register_callback(const char *event, vectorcallfunc call)
{
	PyObject *events = PyObject_GetAttrString(monitoring, "events");
	PyObject *number = events ? PyObject_GetAttrString(events, event) : NULL;
	PyObject *function = NULL, *previous = NULL;
	long bit = -1;

	if (number && call) {
		struct callback *object = PyObject_New(struct callback, &callback_type);

		if (object)
			object->call = call;
		function = (PyObject *)object;
	} else if (number) {
		function = Py_NewRef(Py_None);
	}
	if (function)
		previous = PyObject_CallMethod(monitoring, "register_callback", "iOO", tool_id,
					       number, function);
	if (previous)
		bit = PyLong_AsLong(number);
	Py_XDECREF(previous);
	Py_XDECREF(function);
	Py_XDECREF(number);
	Py_XDECREF(events);
	return bit;
}

static int set_events(long bits)
{
	PyObject *result = PyObject_CallMethod(monitoring, "set_events", "il", tool_id, bits);

	Py_XDECREF(result);
	return result ? 0 : -1;
}

struct binding {
	const char *event;
	vectorcallfunc call;
};

#define BINDINGS 10

static void bindings_fill(struct binding *bindings)
{
	const struct callback_set *set = callbacks_for(collector.mode);
	bool has_c = collector.trace_c;

	bindings[0] = (struct binding){"PY_START", set->enter};
	bindings[1] = (struct binding){"PY_RESUME", set->enter};
	bindings[2] = (struct binding){"PY_THROW", set->throw};
	bindings[3] = (struct binding){"PY_RETURN", set->leave};
	bindings[4] = (struct binding){"PY_YIELD", set->leave};
	bindings[5] = (struct binding){"PY_UNWIND", set->unwind};
	bindings[6] = (struct binding){"RAISE", on_raise};
	bindings[7] = (struct binding){"CALL", has_c ? on_c_call : NULL};
	bindings[8] = (struct binding){"C_RETURN", has_c ? on_c_return : NULL};
	bindings[9] = (struct binding){"C_RAISE", has_c ? on_c_raise : NULL};
}

/* C_RETURN and C_RAISE are part of CALL: their bits must not be set on their own. */
static int bind_all(void)
{
	struct binding bindings[BINDINGS];
	long bits = 0;

	bindings_fill(bindings);
	for (int i = 0; i < BINDINGS; i++) {
		long bit;

		if (!bindings[i].call)
			continue;
		bit = register_callback(bindings[i].event, bindings[i].call);
		if (bit < 0)
			return -1;
		if (i <= 7)
			bits |= bit;
	}
	return set_events(bits);
}

static void unbind_all(void)
{
	struct binding bindings[BINDINGS];

	set_events(0);
	bindings_fill(bindings);
	for (int i = 0; i < BINDINGS; i++)
		if (bindings[i].call)
			register_callback(bindings[i].event, NULL);
}

/* Locations disabled by old decisions must be enabled again; this affects all tools. */
static int restart_disabled(void)
{
	PyObject *result;

	if (disabled_epoch == 0 || disabled_epoch == codecache.epoch) {
		disabled_epoch = codecache.epoch;
		return 0;
	}
	disabled_epoch = codecache.epoch;
	result = PyObject_CallMethod(monitoring, "restart_events", NULL);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static const char *monitoring_unavailable(void)
{
	return NULL;
}

static void monitoring_stop(void)
{
	PyObject *type, *value, *traceback, *result;

	PyErr_Fetch(&type, &value, &traceback);
	if (tool_id >= 0) {
		unbind_all();
		result = PyObject_CallMethod(monitoring, "free_tool_id", "i", tool_id);
		Py_XDECREF(result);
		tool_id = -1;
	}
	Py_CLEAR(monitoring);
	PyErr_Restore(type, value, traceback);
}

static int monitoring_start(void)
{
	monitoring = Py_XNewRef(PySys_GetObject("monitoring"));
	if (!monitoring) {
		PyErr_SetString(PyExc_RuntimeError, "sys.monitoring is missing");
		return -1;
	}
	if (!disable)
		disable = PyObject_GetAttrString(monitoring, "DISABLE");
	if (disable && PyType_Ready(&callback_type) == 0 && claim_tool() == 0 &&
	    restart_disabled() == 0 && bind_all() == 0)
		return 0;
	monitoring_stop();
	return -1;
}

#else

static const char *monitoring_unavailable(void)
{
	return "sys.monitoring exists from Python 3.12 on";
}

static int monitoring_start(void)
{
	PyErr_SetString(PyExc_ValueError, monitoring_unavailable());
	return -1;
}

static void monitoring_stop(void)
{
}

static int restart_disabled(void)
{
	return 0;
}

#endif

const struct instrumenter monitoring_instrumenter = {
	.name = "monitoring",
	.unavailable = monitoring_unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = monitoring_start,
	.stop = monitoring_stop,
	.renew = restart_disabled,
};

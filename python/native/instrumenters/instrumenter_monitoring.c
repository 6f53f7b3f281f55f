/* Instrumenter `monitoring`: the interpreter's own event interface (PEP 669, 3.12+), by callbacks.
 *
 * For a function that the filter drops the callback returns DISABLE, after which its location costs
 * nothing. */
#include "instrumenters/monitoringevents.h"

#if PY_VERSION_HEX >= 0x030c0000

#include "instrumenters/monitoringtool.h"

/* A callback's result.  If only this location is dropped it is disabled; locations of hidden
 * functions must continue to count. */
static PyObject *answer(uint64_t word, bool may_disable)
{
	if (may_disable && word_is_valid(word) && word_action(word) == CODE_SKIP)
		return monitoringtool_disable();
	Py_RETURN_NONE;
}

/* An uncommon enter. */
static __attribute__((noinline)) PyObject *enter_slow(struct kymo_thread *thread,
						      PyCodeObject *code, uint64_t word,
						      PyObject *offset, bool may_disable)
{
	struct enter_source source = {.offset = -1};

	if (code->co_flags & CODE_IS_GENERATOR)
		source.identity = monitored_identity(NULL);
	source.offset = (int)PyLong_AsLong(offset);
	events_enter_slow(thread, code, word, &source);
	return answer(codecache_word(code), may_disable);
}

static __attribute__((noinline)) PyObject *leave_slow(struct kymo_thread *thread, uint64_t word,
						      enum kymo_event_kind kind, bool may_disable)
{
	events_leave_slow(thread, word, kind, false);
	return answer(word, may_disable);
}

static inline __attribute__((always_inline)) PyObject *
monitoring_enter(PyObject *const *arguments, bool may_disable, unsigned mode)
{
	PyCodeObject *code = (PyCodeObject *)arguments[0];
	struct kymo_thread *thread = kymo_thread();
	uint64_t word = codecache_word(code);

	if (!monitored_is_plain(thread, word))
		return enter_slow(thread, code, word, arguments[1], may_disable);
	monitored_enter(thread, word, NULL, mode);
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

	if (!monitored_is_plain(thread, word))
		return leave_slow(thread, word, kind, may_disable);
	kymo_leave(thread, word_region(word), kind, mode);
	Py_RETURN_NONE;
}

static inline PyObject *monitoring_throw(PyObject *const *arguments, unsigned mode)
{
	monitored_throw(NULL);
	return monitoring_enter(arguments, false, mode);
}

/* Extensions fire events of any object in place of code from 3.13 on
 * (PyMonitoring_FirePyStartEvent() and its siblings, "codelike"); of others than code nothing is
 * known. */
static inline bool monitoring_is_code(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030d0000
	return kymo_likely(PyCode_Check(object));
#else
	(void)object;
	return true;
#endif
}

/* One function for every event and mode, each without tests of the mode. */
#define CALLBACK(name, body)                                                                       \
	static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count,            \
			      PyObject *keywords)                                                  \
	{                                                                                          \
		(void)self, (void)count, (void)keywords;                                           \
		if (!monitoring_is_code(arguments[0]))                                             \
			Py_RETURN_NONE;                                                            \
		return body;                                                                       \
	}

#if BYTECODE_SIGNALS_FIRST

static PyObject *raise_at(PyObject *const *arguments)
{
	const PyCodeObject *code = (const PyCodeObject *)arguments[0];

	if (!monitored_raise_begins(code, (int)PyLong_AsLong(arguments[1]), NULL))
		Py_RETURN_NONE;
	return monitoring_enter(arguments, false, collector.mode);
}

CALLBACK(on_raise, raise_at(arguments))

#else

#define on_raise NULL

#endif

#define CALLBACKS(suffix, mode)                                                                    \
	CALLBACK(on_enter_##suffix, monitoring_enter(arguments, true, mode))                       \
	CALLBACK(on_throw_##suffix, monitoring_throw(arguments, mode))                             \
	CALLBACK(on_leave_##suffix, monitoring_leave(arguments, KYMO_EVENT_LEAVE, true, mode))     \
	CALLBACK(on_unwind_##suffix, monitoring_leave(arguments, KYMO_EVENT_UNWIND, false, mode))
CALLBACKS(profile, KYMO_MODE_PROFILE)
CALLBACKS(trace, KYMO_MODE_TRACE)
CALLBACKS(both, KYMO_MODE_PROFILE | KYMO_MODE_TRACE)
CALLBACKS(positions, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS)
CALLBACKS(any, collector.mode)

static PyObject *monitoring_enter_c(PyObject *const *arguments)
{
	events_enter_c((PyCodeObject *)arguments[0], arguments[2]);
	Py_RETURN_NONE;
}

static PyObject *monitoring_leave_c(PyObject *const *arguments, enum kymo_event_kind kind)
{
	events_leave_c((PyCodeObject *)arguments[0], arguments[2], kind);
	Py_RETURN_NONE;
}

CALLBACK(on_c_call, monitoring_enter_c(arguments))
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

#define BINDINGS 10

/* C_RETURN and C_RAISE are part of CALL: their bits must not be set on their own. */
static void bindings_fill(struct monitoring_binding *bindings)
{
	const struct callback_set *set = callbacks_for(collector.mode);
	bool has_c = collector.trace_c;

	bindings[0] = (struct monitoring_binding){"PY_START", set->enter, false};
	bindings[1] = (struct monitoring_binding){"PY_RESUME", set->enter, false};
	bindings[2] = (struct monitoring_binding){"PY_THROW", set->throw, false};
	bindings[3] = (struct monitoring_binding){"PY_RETURN", set->leave, false};
	bindings[4] = (struct monitoring_binding){"PY_YIELD", set->leave, false};
	bindings[5] = (struct monitoring_binding){"PY_UNWIND", set->unwind, false};
	bindings[6] = (struct monitoring_binding){"RAISE", on_raise, false};
	bindings[7] = (struct monitoring_binding){"CALL", has_c ? on_c_call : NULL, false};
	bindings[8] = (struct monitoring_binding){"C_RETURN", has_c ? on_c_return : NULL, true};
	bindings[9] = (struct monitoring_binding){"C_RAISE", has_c ? on_c_raise : NULL, true};
}

static const char *monitoring_unavailable(void)
{
	return NULL;
}

static int monitoring_start(void)
{
	static struct monitoring_binding bindings[BINDINGS + 1]; /* with the GIL held */

	bindings_fill(bindings);
	return monitoringtool_start(bindings);
}

static void monitoring_stop(void)
{
	monitoringtool_stop();
}

static int monitoring_renew(void)
{
	return monitoringtool_renew();
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

static int monitoring_renew(void)
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
	.renew = monitoring_renew,
};

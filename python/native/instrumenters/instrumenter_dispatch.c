/* Instrumenter `dispatch`: takes over the functions by which the interpreter dispatches monitoring
 * events (3.12+), so that most events need no callback.
 *
 * It is a monitoring tool with the events and callbacks of `monitoring`.  Callbacks get the events
 * that it passes on, and all of them if the functions cannot be taken over. */
#include "instrumenters/dispatch.h"

#include "collector.h"
#include "instrumenters/dispatchfunctions.h"
#include "runtime/store/note.h"

#define NOTE_BYTES 200

static void note_refusal(const char *reason)
{
	static bool is_noted;
	char text[NOTE_BYTES];

	if (is_noted || !reason)
		return;
	is_noted = true;
	PyOS_snprintf(text, sizeof(text), "monitoring events come by callbacks: %s", reason);
	kymo_note_add(KYMO_NOTE_INFO, "python", text);
}

#if DISPATCH_IS_KNOWN

#include "instrumenters/dispatchdetours.h"
#include "instrumenters/dispatchevents.h"
#include "instrumenters/monitoringtool.h"

static const char *dispatch_unavailable(void)
{
	return dispatchdetours_unavailable();
}

/* No event is taken before the tool has its bit. */
static int dispatch_start(void)
{
	const char *reason = dispatchdetours_unavailable();
	dispatch_fn functions[DISPATCH_FUNCTIONS];

	dispatchevents_functions(collector.mode, collector.trace_c, functions);
	if (!reason)
		reason = dispatchdetours_write(functions);
	note_refusal(reason);
	if (monitoring_instrumenter.start() < 0) {
		dispatchdetours_take_back();
		return -1;
	}
	if (reason)
		return 0;
	dispatch.tool = monitoringtool_bit();
	dispatch.interpreter = PyInterpreterState_Get();
	return 0;
}

static void dispatch_stop(void)
{
	dispatch.interpreter = NULL;
	dispatchdetours_take_back();
	monitoring_instrumenter.stop();
}

#else

static const char *dispatch_unavailable(void)
{
	return PY_VERSION_HEX < 0x030c0000 ? "sys.monitoring exists from Python 3.12 on"
					   : "how this version dispatches events is not known";
}

static int dispatch_start(void)
{
	PyErr_SetString(PyExc_ValueError, dispatch_unavailable());
	return -1;
}

static void dispatch_stop(void)
{
}

#endif

void dispatch_note_refusal(void)
{
	note_refusal(dispatch_unavailable());
}

static int dispatch_renew(void)
{
	return monitoring_instrumenter.renew();
}

const struct instrumenter dispatch_instrumenter = {
	.name = "dispatch",
	.unavailable = dispatch_unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = dispatch_start,
	.stop = dispatch_stop,
	.renew = dispatch_renew,
};

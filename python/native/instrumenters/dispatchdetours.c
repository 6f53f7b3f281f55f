/* The functions are found and tested once in a process. */
#include "instrumenters/dispatchdetours.h"

#if DISPATCH_IS_KNOWN

#include <stdbool.h>
#include <string.h>

#include "instrumenters/dispatchprobe.h"
#include "instrumenters/monitoringtool.h"
#include "object/code/detour.h"

dispatch_fn dispatchdetours_original[DISPATCH_FUNCTIONS];

static struct detour detours[DISPATCH_FUNCTIONS];
static const char *refusal; /* why it can never be; NULL = it can, or that is not known yet */
static bool is_tried;

#define NO_WRITING "the interpreter's text cannot be written to"

const char *dispatchdetours_unavailable(void)
{
	return refusal ? refusal : detour_unavailable();
}

static bool is_only_interpreter(void)
{
	PyInterpreterState *first = PyInterpreterState_Head();

	return first == PyInterpreterState_Get() && !PyInterpreterState_Next(first);
}

static bool is_left_written(const dispatch_fn functions[DISPATCH_FUNCTIONS])
{
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++)
		if (functions[i] && dispatchdetours_original[i] && !detours[i].is_written)
			return false;
	return is_tried;
}

void dispatchdetours_take_back(void)
{
	for (int i = 0; is_only_interpreter() && i < DISPATCH_FUNCTIONS; i++)
		detour_take_back(&detours[i]);
}

static const char *write_all(const dispatch_fn functions[DISPATCH_FUNCTIONS])
{
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++) {
		const void *function = (const void *)(uintptr_t)functions[i];

		if (!function || !dispatchdetours_original[i] ||
		    detour_write(&detours[i], function) == 0)
			continue;
		dispatchdetours_take_back();
		return NO_WRITING;
	}
	return NULL;
}

/* The interpreter's state has the expected layout: the tool's bit is set for its events and for no
 * other. */
static bool has_known_layout(void)
{
	const uint8_t *tools = PyInterpreterState_Get()->monitors.tools;
	const unsigned tool = monitoringtool_bit();

	return (tools[PY_MONITORING_EVENT_PY_START] & tool) &&
	       (tools[PY_MONITORING_EVENT_CALL] & tool) &&
	       (tools[PY_MONITORING_EVENT_PY_UNWIND] & tool) &&
	       !(tools[PY_MONITORING_EVENT_LINE] & tool) &&
	       !(tools[PY_MONITORING_EVENT_RAISE] & tool) &&
	       !(tools[PY_MONITORING_EVENT_PY_THROW] & tool);
}

static bool are_different(const struct dispatch_guess *guess)
{
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++)
		for (int j = 0; j < i; j++)
			if (guess->places[i].start &&
			    guess->places[i].start == guess->places[j].start)
				return false;
	return true;
}

static const char *prepare_all(const struct dispatch_guess *guess)
{
	if (!are_different(guess))
		return "the interpreter dispatches all events by one function";
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++) {
		const struct dispatch_place *place = &guess->places[i];
		const char *reason =
			place->start ? detour_prepare(&detours[i], place->start, place->size)
				     : "the interpreter's functions are not found";

		if (reason && i < DISPATCH_NEEDED)
			return reason;
		dispatchdetours_original[i] =
			reason ? NULL : (dispatch_fn)(uintptr_t)detours[i].original;
	}
	return NULL;
}

static const char *try_guess(const struct dispatch_guess *guess, struct dispatch_probe *probe)
{
	const char *reason = prepare_all(guess);
	bool is_right;

	if (!reason)
		reason = write_all(dispatchprobe_functions);
	if (reason)
		return reason;
	is_right = dispatchprobe_is_right(probe, dispatchdetours_original);
	dispatchdetours_take_back();
	return is_right ? NULL : "the interpreter dispatches events in another way";
}

static const char *try_with_tool(const struct dispatch_guess *guess, struct dispatch_probe *probe)
{
	const char *reason = "the interpreter is laid out in another way";

	if (monitoringtool_start(dispatchprobe_bindings) < 0) {
		PyErr_Clear();
		return "sys.monitoring has no free tool id";
	}
	if (has_known_layout())
		reason = try_guess(guess, probe);
	monitoringtool_stop();
	return reason;
}

/* Functions with these names may exist but not be called, if they were inlined. */
static const char *find_and_try(void)
{
	struct dispatch_guess guess;
	struct dispatch_probe *probe = dispatchprobe_new();
	const char *reason;

	PyErr_Clear();
	if (!probe)
		return "out of memory";
	reason = dispatchfunctions_by_name(&guess);
	if (!reason)
		reason = try_with_tool(&guess, probe);
	if (reason && !dispatchfunctions_by_stack(probe, &guess))
		reason = try_with_tool(&guess, probe);
	dispatchprobe_free(probe);
	return reason;
}

const char *dispatchdetours_write(const dispatch_fn functions[DISPATCH_FUNCTIONS])
{
	if (!is_only_interpreter() && !is_left_written(functions))
		return "another interpreter runs";
	if (!is_tried)
		refusal = find_and_try();
	is_tried = true;
	if (!refusal)
		refusal = write_all(functions);
	return refusal;
}

#endif

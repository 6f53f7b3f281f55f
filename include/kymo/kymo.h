/* Annotate your own program: regions, counters, instants, messages, phases, progress.
 *
 *	#include <kymo/kymo.h>
 *	kymo_region_begin("solve"); ... kymo_region_end("solve");
 *
 * Nothing has to be linked.  If Kymo is not loaded, every call is a load and a test and returns
 * KYMO_NOT_LOADED; with KYMO_DISABLE defined before this line, calls compile to nothing.  All
 * functions return an enum kymo_result (0 = done), may be called from any thread, and never change
 * errno.  Names are copied.  docs/annotate.md describes all of this with examples.
 *
 * The macros of <kymo/macros.h> do the same at lower cost; C++ has guards in <kymo/region.hpp>.
 * Both are included here. */
#ifndef KYMO_KYMO_H
#define KYMO_KYMO_H

#include <kymo/abi.h>

/* Call a function of the table, if there is one. */
#define KYMO_CALL(call) (kymo_api_now() ? kymo_api_now()->call : KYMO_NOT_LOADED)

/* True when Kymo is loaded and has a recording. */
static inline int kymo_is_loaded(void)
{
	return kymo_api_now() != NULL;
}

/* Enter a region, and leave it on the same thread.  Regions with the same name are one region. */
static inline int kymo_region_begin(const char *name)
{
	return KYMO_CALL(region_begin(name));
}

static inline int kymo_region_end(const char *name)
{
	return KYMO_CALL(region_end(name));
}

/* The same with values, which the trace stores with the event. */
static inline int kymo_region_begin_with(const char *name, const struct kymo_value *values,
					 size_t count)
{
	return KYMO_CALL(region_begin_with(name, values, count));
}

static inline int kymo_region_end_with(const char *name, const struct kymo_value *values,
				       size_t count)
{
	return KYMO_CALL(region_end_with(name, values, count));
}

/* A region that divides the run into parts to be compared. */
static inline int kymo_phase_begin(const char *name)
{
	return KYMO_CALL(phase_begin(name));
}

static inline int kymo_phase_end(const char *name)
{
	return KYMO_CALL(phase_end(name));
}

static inline struct kymo_value kymo_value_int(const char *name, int64_t number)
{
	struct kymo_value value = {name, KYMO_TYPE_SIGNED, {NULL}};

	value.as.number = number;
	return value;
}

static inline struct kymo_value kymo_value_uint(const char *name, uint64_t natural)
{
	struct kymo_value value = {name, KYMO_TYPE_UNSIGNED, {NULL}};

	value.as.natural = natural;
	return value;
}

static inline struct kymo_value kymo_value_float(const char *name, double real)
{
	struct kymo_value value = {name, KYMO_TYPE_FLOAT, {NULL}};

	value.as.real = real;
	return value;
}

static inline struct kymo_value kymo_value_text(const char *name, const char *text)
{
	struct kymo_value value = {name, KYMO_TYPE_TEXT, {NULL}};

	value.as.text = text;
	return value;
}

static inline struct kymo_value kymo_value_pointer(const char *name, const void *pointer)
{
	struct kymo_value value = {name, KYMO_TYPE_POINTER, {NULL}};

	value.as.pointer = pointer;
	return value;
}

/* What follows in the enclosing region gets a call path of its own for this value, until
 * the parameter is given another one or the enclosing region ends. */
static inline int kymo_parameter(struct kymo_value value)
{
	return KYMO_CALL(parameter(&value));
}

static inline int kymo_parameter_int(const char *name, int64_t value)
{
	return kymo_parameter(kymo_value_int(name, value));
}

static inline int kymo_parameter_uint(const char *name, uint64_t value)
{
	return kymo_parameter(kymo_value_uint(name, value));
}

static inline int kymo_parameter_text(const char *name, const char *value)
{
	return kymo_parameter(kymo_value_text(name, value));
}

/* An instant: a mark in the trace. */
static inline int kymo_instant(const char *name)
{
	return KYMO_CALL(instant(name, NULL, 0));
}

static inline int kymo_instant_with(const char *name, const struct kymo_value *values, size_t count)
{
	return KYMO_CALL(instant(name, values, count));
}

/* A message from one thread to another: the send and the receive with the same name and id
 * belong together.  Ids may be reused. */
static inline int kymo_message_send(const char *name, uint64_t id)
{
	return KYMO_CALL(message_send(name, id));
}

static inline int kymo_message_receive(const char *name, uint64_t id)
{
	return KYMO_CALL(message_receive(name, id));
}

/* Set the counter of the process to this value from now on, or change it by it.  unit, such as
 * "B" or "items", may be NULL. */
static inline int kymo_counter_set(const char *name, const char *unit, double value)
{
	return KYMO_CALL(counter_set(name, unit, value));
}

static inline int kymo_counter_add(const char *name, const char *unit, double change)
{
	return KYMO_CALL(counter_add(name, unit, change));
}

/* One more unit of work is done: throughput is visits over time. */
static inline int kymo_progress(const char *name)
{
	return KYMO_CALL(progress(name));
}

static inline int kymo_progress_with(const char *name, const struct kymo_value *values,
				     size_t count)
{
	return KYMO_CALL(progress_with(name, values, count));
}

/* A unit of work begins or ends, on any thread: latency is the time in between. */
static inline int kymo_progress_begin(const char *name)
{
	return KYMO_CALL(progress_begin(name));
}

static inline int kymo_progress_end(const char *name)
{
	return KYMO_CALL(progress_end(name));
}

/* Name the calling thread in the recording. */
static inline int kymo_thread_label(const char *name)
{
	return KYMO_CALL(thread_label(name));
}

/* Record nothing in the whole process until kymo_start(); calls are counted.  What is open is
 * closed now, users' regions too. */
static inline int kymo_stop(void)
{
	return KYMO_CALL(stop());
}

static inline int kymo_start(void)
{
	return KYMO_CALL(start());
}

/* Enter nothing on the calling thread until kymo_thread_start(); calls are counted.  What is
 * open stays open. */
static inline int kymo_thread_stop(void)
{
	return KYMO_CALL(thread_stop());
}

static inline int kymo_thread_start(void)
{
	return KYMO_CALL(thread_start());
}

/* Copy the recording in its current state to snapshots/NAME in the run's directory; NULL = the
 * next number. */
static inline int kymo_snapshot(const char *name)
{
	return KYMO_CALL(snapshot(name));
}

/* Replace Kymo's functions by own ones; old (may be NULL) gets the previous ones, which the new
 * ones may call.  in and old start with their size. */
static inline int kymo_configure(enum kymo_configure_mode mode, const struct kymo_callbacks *in,
				 struct kymo_callbacks *old)
{
	return KYMO_CALL(configure((int)mode, in, old));
}

static inline int kymo_callbacks_get(struct kymo_callbacks *now)
{
	struct kymo_callbacks none = {0,    NULL, NULL, NULL, NULL, NULL,
				      NULL, NULL, NULL, NULL, NULL};

	none.size = sizeof(none);
	if (now)
		now->size = sizeof(*now);
	return now ? KYMO_CALL(configure(KYMO_CONFIGURE_UNION, &none, now)) : KYMO_BAD_VALUE;
}

static inline const char *kymo_error_string(int result)
{
	switch (result) {
	case KYMO_SUCCESS:
		return "success";
	case KYMO_NOT_LOADED:
		return "Kymo is not loaded";
	case KYMO_BAD_VALUE:
		return "invalid value";
	case KYMO_NOT_OPEN:
		return "not open on this thread";
	case KYMO_REORDERED:
		return "not the innermost open region; those inside of it ended too";
	case KYMO_OFF:
		return "nothing is recorded now";
	case KYMO_INTERNAL:
		return "no space in the recording";
	default:
		return "unknown result";
	}
}

#include <kymo/macros.h>

#ifdef __cplusplus
#include <kymo/region.hpp>
#endif

#endif

/* The table of <kymo/kymo.h>, and callbacks: a user's functions in place of some of its
 * functions.  Without callbacks the table calls the runtime directly. */
#include "runtime/user/userapi.h"

#include "base/spin.h"
#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"
#include "runtime/user/userabi.h"
#include "runtime/user/userbind.h"
#include "runtime/user/usercontrol.h"
#include "runtime/user/usercounters.h"
#include "runtime/user/userevents.h"
#include "runtime/user/usernamed.h"
#include "runtime/user/usernames.h"
#include "runtime/user/usersite.h"
#include "runtime/user/userstack.h"

static int no_call(void)
{
	return KYMO_NOT_LOADED;
}

static int no_name(const char *name)
{
	(void)name;
	return KYMO_NOT_LOADED;
}

static int no_values(const char *name, const struct kymo_value *values, size_t count)
{
	(void)name, (void)values, (void)count;
	return KYMO_NOT_LOADED;
}

/* The callbacks that are set: name, and the function called if none is. */
#define CALLBACKS(X)                                                                               \
	X(start, no_call)                                                                          \
	X(stop, no_call)                                                                           \
	X(thread_start, no_call)                                                                   \
	X(thread_stop, no_call)                                                                    \
	X(region_begin, no_name)                                                                   \
	X(region_end, no_name)                                                                     \
	X(region_begin_with, no_values)                                                            \
	X(region_end_with, no_values)                                                              \
	X(progress, no_name)                                                                       \
	X(progress_with, no_values)

static struct kymo_callbacks callbacks = {.size = sizeof(struct kymo_callbacks),
#define OWN(name, empty) .name = userapi_##name,
					  CALLBACKS(OWN)
#undef OWN
};

static struct spin configure_lock; /* guards callbacks and the table's pointers */
static __thread char configure_token __attribute__((tls_model("initial-exec")));

static int configure(int mode, const struct kymo_callbacks *in, struct kymo_callbacks *old);

static struct kymo_api table = {
	.size = sizeof(table),
	.site_mark = userapi_site_mark,
	.site_count = userapi_site_count,
	.phase_begin = userapi_phase_begin,
	.phase_end = userapi_phase_end,
	.parameter = userapi_parameter,
	.instant = userapi_instant,
	.message_send = userapi_message_send,
	.message_receive = userapi_message_receive,
	.progress_begin = userapi_progress_begin,
	.progress_end = userapi_progress_end,
	.counter_set = userapi_counter_set,
	.counter_add = userapi_counter_add,
	.thread_label = userapi_thread_label,
	.snapshot = userapi_snapshot,
	.configure = configure,
};

/* If the user's regions are hidden, use the general functions. */
static unsigned site_mode(void)
{
	return session.hides_user ? 0 : session.mode;
}

/* Sites of regions if callbacks are set. */
static int site_begin_called(struct kymo_site *site)
{
	if (site->kind != KYMO_SITE_REGION)
		return usersite_begin(site_mode())(site);
	return table.region_begin(site->name);
}

static int site_end_called(struct kymo_site *site)
{
	if (site->kind != KYMO_SITE_REGION)
		return usersite_end(site_mode())(site);
	return table.region_end(site->name);
}

static int site_mark_called(struct kymo_site *site)
{
	if (site->kind != KYMO_SITE_PROGRESS)
		return userapi_site_mark(site);
	return table.progress(site->name);
}

/* Pointers are set one by one: a thread that calls at this moment finds the old or the new one. */
#define PUT(place, function) __atomic_store_n(&table.place, function, __ATOMIC_RELEASE)

static void userapi_fill_table(void)
{
	bool is_own = callbacks.region_begin == userapi_region_begin &&
		      callbacks.region_end == userapi_region_end;

#define PUT_CALLBACK(name, empty) PUT(name, callbacks.name ? callbacks.name : empty);
	CALLBACKS(PUT_CALLBACK)
#undef PUT_CALLBACK
	PUT(site_begin, is_own ? usersite_begin(site_mode()) : site_begin_called);
	PUT(site_end, is_own ? usersite_end(site_mode()) : site_end_called);
	PUT(site_mark,
	    callbacks.progress == userapi_progress ? userapi_site_mark : site_mark_called);
}

const struct kymo_api *userapi_open(void)
{
	userapi_fill_table();
	return &table;
}

static void userapi_change(int mode, const struct kymo_callbacks *in)
{
#define CHANGE(name, empty)                                                                        \
	if (mode == KYMO_CONFIGURE_REPLACE || (mode == KYMO_CONFIGURE_UNION && in->name))          \
		callbacks.name = in->name;                                                         \
	else if (mode == KYMO_CONFIGURE_INTERSECT && in->name != callbacks.name)                   \
		callbacks.name = NULL;
	CALLBACKS(CHANGE)
#undef CHANGE
}

static int configure(int mode, const struct kymo_callbacks *in, struct kymo_callbacks *old)
{
	if (mode < KYMO_CONFIGURE_UNION || mode > KYMO_CONFIGURE_INTERSECT || !in ||
	    in->size < sizeof(*in) || (old && old->size < sizeof(*old)))
		return KYMO_BAD_VALUE;
	if (!spin_acquire(&configure_lock, (uintptr_t)&configure_token))
		return KYMO_INTERNAL;
	if (old) {
		size_t size = old->size;

		*old = callbacks;
		old->size = size;
	}
	userapi_change(mode, in);
	userapi_fill_table();
	spin_release(&configure_lock);
	return KYMO_SUCCESS;
}

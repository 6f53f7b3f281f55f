/* What the tests of annotations share. */
#ifndef KYMO_USERAPI_FIXTURE_H
#define KYMO_USERAPI_FIXTURE_H

#include "runtime/user/userapi.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>

#include "runtime/user/userstack.h"
#include "user_fixture.h"

#define SITE(name, kind)                                                                           \
	(struct kymo_site)                                                                         \
	{                                                                                          \
		name, NULL, "file.c", 7, kind, 0, 0                                                \
	}

static const struct kymo_api *api;

static inline struct kymo_value number(const char *name, int64_t value)
{
	return (struct kymo_value){name, KYMO_TYPE_SIGNED, {.number = value}};
}

/* Each mode of collection has functions of its own; the tree is to be the same. */
static const char *const modes[][4] = {
	{"PROFILE=ON", "TRACE=OFF", NULL},
	{"PROFILE=OFF", "TRACE=ON", NULL},
	{"PROFILE=ON", "TRACE=ON", NULL},
	{"PROFILE=ON", "TRACE=ON", "CLOCK=monotonic", NULL},
	{"PROFILE=ON", "TRACE=OFF", "TIMEMORY_COMPONENTS=wall_clock,peak_rss", NULL},
};

static const char *const *mode_now;

static inline void in_all_modes(void (*body)(void))
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		mode_now = modes[i];
		fixture_run(body);
	}
}

#define IN_ALL_MODES(name)                                                                         \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		in_all_modes(name);                                                                \
	}

#endif

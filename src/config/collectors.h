/* The libraries that are preloaded into a program, one per collector: collectors.def. */
#ifndef KYMO_COLLECTORS_H
#define KYMO_COLLECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings.h"

enum collector_when { ANY_RECORDING, RECORDS_CALLS };

#define COLLECTOR_SETTINGS_MAX 4

struct collector_info {
	const char *name;    /* "sampler" */
	const char *library; /* "libkymo-sampler.so" */
	const char *summary;
	enum collector_when when;
	enum setting_id settings[COLLECTOR_SETTINGS_MAX]; /* any of these needs it */
	size_t setting_count;				  /* 0 = always preloaded */
};

/* In the order in which they are prepended to LD_PRELOAD. */
extern const struct collector_info collector_table[];
extern const size_t collector_count;

/* Whether these settings need it.  Context: init. */
bool collector_is_wanted(const struct collector_info *collector, const struct settings *settings);

#endif

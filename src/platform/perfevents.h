/* Events that the kernel counts without a library: their names and how to open them.
 * Context: any; nothing allocates. */
#ifndef KYMO_PERFEVENTS_H
#define KYMO_PERFEVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perfevent {
	const char *name; /* "PERF_COUNT_SW_PAGE_FAULTS" */
	const char *papi; /* PAPI's name of the same, or NULL */
	uint32_t type;
	uint64_t config;
	const char *text;
};

extern const struct perfevent perfevent_table[];
extern const size_t perfevent_count;

/* By its name, case-insensitively, with or without "perf::" or "::" and "PERF_COUNT_", or by
 * PAPI's; NULL = unknown. */
const struct perfevent *perfevent_find(const char *name);

/* A close-on-exec descriptor that counts in a thread (0 = the calling one) from now on: alone
 * (group -1), or together with group.  Without the right to count in the kernel, user space
 * alone is counted.  Its readings are { count, time enabled, time running } if alone, and {
 * number, enabled, running, counts... } in a group.  Or -1 with errno. */
int perfevent_open(const struct perfevent *event, pid_t thread, int group, bool is_grouped);

/* Why perfevent_open() failed, as a sentence without a full stop. */
const char *perfevent_reason(int error, char *buffer, size_t size);

#endif

/* Calls of throttled functions: from some time on they were only counted, and their callers are not
 * known.  Everything is checked.  Uses malloc. */
#ifndef KYMO_THROTTLED_CALLS_H
#define KYMO_THROTTLED_CALLS_H

#include "model/recording/recording.h"

struct throttled_calls { /* of one function in one thread */
	uint32_t id;
	uint64_t since; /* ticks */
	uint64_t calls;
};

struct throttled_list {
	struct throttled_calls *items;
	size_t count, capacity;
};

/* Add those of a thread.  KYMO_OK or KYMO_MEMORY; dropped counts damaged records. */
enum kymo_status throttled_calls_read(const struct recording *recording, uint32_t thread,
				      struct throttled_list *list, uint64_t *dropped);
void throttled_calls_release(struct throttled_list *list);

/* "2 functions … : f, g": one line for users; false: there are none. */
bool throttled_calls_text(const struct recording *recording, char *text, size_t size);
/* Likewise if counting them alone exceeded the budget, with what can be done. */
bool throttled_calls_over_budget(const struct recording *recording, char *text, size_t size);

/* The cost of counting one call; 0 = not known. */
double throttled_calls_cost_ns(const struct recording *recording);

#endif

/* Series of readings: what differs from the reading before is appended as of the moment that was
 * told.  For the thread that reads. */
#ifndef KYMO_PROCSTAT_SERIES_H
#define KYMO_PROCSTAT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

struct procstat_series {
	uint32_t id; /* 0 = none */
	bool is_off; /* of a category that is not recorded */
	bool has_last;
	double last;
};

/* All series begin anew, in a new recording. */
void procstat_series_begin(void);
/* The moment that values are of from here on. */
void procstat_series_now(uint64_t ticks, uint64_t now_ns);
uint64_t procstat_now_ns(void);
/* A series of that name, which is printf(3)'s; of the process or the machine, or of a thread. */
void procstat_series_define(struct procstat_series *series, const char *unit, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));
void procstat_series_define_thread(struct procstat_series *series, uint32_t thread,
				   const char *unit, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A value stands until the next one that differs. */
void procstat_put(struct procstat_series *series, double value);

/* A number that only grows, counted from where it was when it was first read. */
struct procstat_growth {
	bool has_first;
	uint64_t first;
};
double procstat_grown(struct procstat_growth *growth, uint64_t value);

#endif

/* Series of readings: what differs from the previous reading is appended with the time that was
 * set.  For the reading thread. */
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

/* All series start over, in a new recording. */
void procstat_series_begin(void);
/* Set the time of the following values. */
void procstat_series_now(uint64_t ticks, uint64_t now_ns);
uint64_t procstat_now_ns(void);
/* Define a series with that name, in printf(3)'s format; of the process or the machine, or of a
 * thread. */
void procstat_series_define(struct procstat_series *series, const char *unit, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));
void procstat_series_define_thread(struct procstat_series *series, uint32_t thread,
				   const char *unit, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A value holds until the next one that differs. */
void procstat_put(struct procstat_series *series, double value);

/* A number that only grows, relative to its first reading. */
struct procstat_growth {
	bool has_first;
	uint64_t first;
};
double procstat_grown(struct procstat_growth *growth, uint64_t value);

#endif

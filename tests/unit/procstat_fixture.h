/* Files as /proc and /sys have them in a folder of the test's own, and what sources of the
 * machine's series make of them.  Include cmocka.h before.
 *
 *	procstat_fixture_begin();
 *	procstat_fixture_write("proc/loadavg", "1.5 2 3 1/2 3\n");
 *	procstat_fixture_open(&procstat_load);
 *	procstat_load.read();
 *	assert_string_equal(procstat_fixture_series(), "Load Average 1 min (S) 1.5 \n…");
 *	procstat_fixture_end();
 */
#ifndef KYMO_PROCSTAT_FIXTURE_H
#define KYMO_PROCSTAT_FIXTURE_H

#include "collectors/procstat/procstat.h"

void procstat_fixture_begin(void);
void procstat_fixture_end(void);
/* Write, or write anew, a file below the root. */
void procstat_fixture_write(const char *path, const char *content);
/* The moment that sources read at. */
void procstat_fixture_now(uint64_t ns);
/* "NAME VALUE UNIT\n" of all series in the order they were defined; "-" where there is no value. */
const char *procstat_fixture_series(void);

#endif

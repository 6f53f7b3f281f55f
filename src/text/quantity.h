/* Numbers as people read them.  Each writes into the caller's buffer and returns it.
 * Context: any. */
#ifndef KYMO_QUANTITY_H
#define KYMO_QUANTITY_H

#include <stdint.h>

#define QUANTITY_MAX 64

/* "1.234 s", "12.3 ms", "456 us", "78 ns", "0". */
const char *quantity_duration(double seconds, char buffer[QUANTITY_MAX]);

/* Likewise, with no more digits than are sure where it may be off by error: "30 ms".  One digit is
 * always there.  error 0: all are sure. */
const char *quantity_duration_sure(double seconds, double error, char buffer[QUANTITY_MAX]);

/* "12,345,678". */
const char *quantity_count(uint64_t count, char buffer[QUANTITY_MAX]);

/* "1.5 MB"; decimal units. */
const char *quantity_bytes(double bytes, char buffer[QUANTITY_MAX]);

/* "12.3 %"; what is there but rounds to nothing is "<0.1 %". */
const char *quantity_percent(double percent, char buffer[QUANTITY_MAX]);

#endif

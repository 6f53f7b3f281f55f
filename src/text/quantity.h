/* Numbers for people.  Each writes into the caller's buffer and returns it. Context: any. */
#ifndef KYMO_QUANTITY_H
#define KYMO_QUANTITY_H

#include <stdint.h>

#define QUANTITY_MAX 64

/* "1.234 s", "12.3 ms", "456 us", "78 ns", "0". */
const char *quantity_duration(double seconds, char buffer[QUANTITY_MAX]);

/* Likewise, with only the digits that are significant given the error: "30 ms"; at least one. error
 * 0: exact. */
const char *quantity_duration_sure(double seconds, double error, char buffer[QUANTITY_MAX]);

/* "12,345,678". */
const char *quantity_count(uint64_t count, char buffer[QUANTITY_MAX]);

/* "1.5 MB"; decimal units. */
const char *quantity_bytes(double bytes, char buffer[QUANTITY_MAX]);

/* "12.3 %"; small positive values are "<0.1 %". */
const char *quantity_percent(double percent, char buffer[QUANTITY_MAX]);

#endif

/* /proc/PID/status: lines of a key, a colon and columns.  Pure; context: any. */
#ifndef KYMO_PROC_STATUS_H
#define KYMO_PROC_STATUS_H

#include <stdint.h>

#define PROC_STATUS_BYTES 4096u	     /* enough for the whole file */
#define PROC_STATUS_LAST  UINT32_MAX /* column: of ids of namespaces the innermost */

/* The number in a column (the first is 0) of "KEY:" in the text of such a file, in base 10 or
 * 16; -1: not found. */
int64_t proc_status_column(const char *text, const char *key, uint32_t column, unsigned base);
/* That of the first column. */
int64_t proc_status_number(const char *text, const char *key, unsigned base);

/* The same for a process, or for one of its threads, whose file is read. */
int64_t proc_status_of(int32_t process, int32_t thread, const char *key, unsigned base);

#endif

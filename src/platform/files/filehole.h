/* Mapped files that are truncated while they are read.
 *
 * Pages beyond a file's end stay mapped, but accessing them raises SIGBUS, which no check
 * beforehand can prevent.  With this guard such pages become zeros, reading continues as with a
 * file that was truncated before, and the caller reports at the end that the result is incomplete.
 *
 * For Kymo's own commands only, never inside of a program under study: the signal handler is
 * process-wide.  A watched mapping is filled at once; pages of other mappings (those of libraries
 * that read files) are filled one by one.  The memory of a watch is never freed, so that the
 * handler may read it from any thread. */
#ifndef KYMO_FILEHOLE_H
#define KYMO_FILEHOLE_H

#include <stddef.h>

/* Install the guard.  Once per process.  Context: init. */
void filehole_guard(void);
/* Restore the former action of SIGBUS, before exec. */
void filehole_restore(void);

/* The file at path is mapped at base.  Not watched if memory is short: then it has no name.
 * Context: init, one thread at a time. */
void filehole_watch(const void *base, size_t size, const char *path);
/* Before it is unmapped. */
void filehole_unwatch(const void *base);

/* Number of times pages were filled so far.  Context: any. */
size_t filehole_count(void);
/* The first file that was found truncated; "" = unknown. */
const char *filehole_path(void);

#endif

/* Mapped files that are cut by somebody while they are read.
 *
 * What lies behind a file's end is mapped, but gone: touching it is SIGBUS, which no check
 * beforehand can rule out.  Where this guard is set, such pages become zeros, reading goes on as
 * with a file that was cut before, and who set it says at the end that the result is not whole.
 *
 * For Kymo's own commands alone, never inside of a program under study: the handler is the
 * process's.  What is watched is named and filled at once; pages of other mappings (those of
 * libraries that read files) are filled one by one.  Memory behind a watch is never given
 * back, so that the handler may look at it from any thread. */
#ifndef KYMO_FILEHOLE_H
#define KYMO_FILEHOLE_H

#include <stddef.h>

/* From here on.  Once a process.  Context: init. */
void filehole_guard(void);
/* Give SIGBUS its former handling, before becoming another program. */
void filehole_restore(void);

/* The file at path is mapped at base.  Not watched when memory is short, then nameless.
 * Context: init, one thread at a time. */
void filehole_watch(const void *base, size_t size, const char *path);
/* Before it is unmapped. */
void filehole_unwatch(const void *base);

/* How often pages were filled so far.  Context: any. */
size_t filehole_count(void);
/* The file that was found cut first; "" = not known which. */
const char *filehole_path(void);

#endif

/* The program's standard error: what it was at the start, and whether it still is. */
#ifndef KYMO_STANDARDERROR_H
#define KYMO_STANDARDERROR_H

#include <stddef.h>

/* Remember what stderr is now: a program may later close it and reuse its number.
 * Context: init. */
void standarderror_init(void);

/* Write bytes, by one system call; nothing when stderr is no longer what it was.  Before
 * standarderror_init() it is what it is.  errno is changed.  Context: any. */
void standarderror_write(const char *bytes, size_t length);

/* Keep what stderr is now under a further descriptor, for the end of a run: many programs have
 * closed theirs by then.  Terminals, and files that it appends to, can be opened again and are not
 * kept.  Context: init. */
void standarderror_keep(void);
/* In a forked child, which ends no run: who reads a pipe does not wait for it.  Context: any. */
void standarderror_forked(void);

/* In a process that speaks for this one and has descriptors of its own: make its stderr what this
 * one's was at the start.  That is the one which is there, or was kept, or is opened again; unless
 * this process has left the terminal's session, or nothing is left: then /dev/null.  Programs that
 * are started have it, whatever the program asked of its own.  Context: any. */
void standarderror_restore(void);

#endif

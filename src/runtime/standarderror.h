/* The program's standard error: what it was at the start, and whether it is still the same. */
#ifndef KYMO_STANDARDERROR_H
#define KYMO_STANDARDERROR_H

#include <stddef.h>

/* Remember what stderr is now: a program may later close it and reuse its number.  Context: init.
 */
void standarderror_init(void);

/* Write bytes, by one system call; nothing if stderr is no longer what it was.  Before
 * standarderror_init() it is not checked.  errno is changed.  Context: any. */
void standarderror_write(const char *bytes, size_t length);

/* Duplicate stderr, for the end of a run: many programs have closed theirs by then.  Terminals,
 * and files that it appends to, can be opened again and are not duplicated.  Context: init. */
void standarderror_keep(void);
/* In a forked child, which ends no run: close the duplicate, so that a reader of a pipe does not
 * wait for it.  Context: any. */
void standarderror_forked(void);

/* In a process that prints for this one and has descriptors of its own: make its stderr what
 * this one's was at the start, which is still open, duplicated, or reopened; /dev/null if this
 * process has left the terminal's session, or nothing is available.  Programs that are started
 * inherit it, even if the program had set FD_CLOEXEC.  Context: any. */
void standarderror_restore(void);

#endif

/* The few lines the runtime says to the user, on stderr and nowhere else. */
#ifndef KYMO_SAY_H
#define KYMO_SAY_H

/* Remember what stderr is now: a program may later close it and reuse its number.
 * Context: init. */
void say_init(void);

/* One line, "kymo: " in front.  Nothing when stderr is no longer what it was.
 * Context: thread; errno is kept. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keep what stderr is now under a further descriptor, for the end of a run: many programs have
 * closed theirs by then.  Terminals, and files that it appends to, can be opened again and are not
 * kept.  Context: init. */
void say_keep(void);
/* In a forked child, which ends no run: who reads a pipe does not wait for it.  Context: any. */
void say_forked(void);

/* In a process that speaks for this one and has descriptors of its own: make its stderr what this
 * one's was at the start.  That is the one which is there, or was kept, or is opened again; unless
 * this process has left the terminal's session, or nothing is left: then /dev/null.  Programs that
 * are started have it, whatever the program asked of its own.  Context: any. */
void say_restore(void);

#endif

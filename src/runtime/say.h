/* The few lines the runtime says to the user, on stderr and nowhere else. */
#ifndef KYMO_SAY_H
#define KYMO_SAY_H

/* Remember what stderr is now: a program may later close it and reuse its number.
 * Context: init. */
void say_init(void);

/* One line, "kymo: " in front.  Nothing when stderr is no longer what it was.
 * Context: thread; errno is kept. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Where a process that speaks for this one writes: NULL = to stderr, which is what it was.  Else
 * to this file: the terminal that stderr was at the start, or the file that it appended to, unless
 * this process has left that session; then /dev/null.  Context: thread. */
const char *say_elsewhere(void);

#endif

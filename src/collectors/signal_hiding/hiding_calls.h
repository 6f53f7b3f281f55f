/* System calls by their number: those that change what a signal does. */
#ifndef KYMO_HIDING_CALLS_H
#define KYMO_HIDING_CALLS_H

/* hiding_calls.c: a system call that the program makes by its number. */
long hiding_system_call(long number, const long arguments[6]);

#endif

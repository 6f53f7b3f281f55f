/* System calls by number that change what a signal does. */
#ifndef KYMO_HIDING_CALLS_H
#define KYMO_HIDING_CALLS_H

/* A system call that the program makes by number. */
long hiding_system_call(long number, const long arguments[6]);

#endif

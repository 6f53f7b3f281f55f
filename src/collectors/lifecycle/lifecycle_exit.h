/* The end of the process, behind the wrappers.  The recording is closed, with the status that the
 * program ends with, before the real function is called.  Context: any. */
#ifndef KYMO_LIFECYCLE_EXIT_H
#define KYMO_LIFECYCLE_EXIT_H

/* Find the real functions now, where that may allocate.  Context: init. */
void lifecycle_exit_resolve(void);

/* Register what runs when the process ends in order.  Context: init. */
void lifecycle_follow_exit(void);
void lifecycle_exit_now(int status) __attribute__((noreturn));
void lifecycle_exit_quickly(int status) __attribute__((noreturn));
void lifecycle_abort(void) __attribute__((noreturn));

#endif

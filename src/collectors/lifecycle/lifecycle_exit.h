/* Implementation of the exit wrappers.  The recording is closed, with the program's exit status,
 * before the real function is called.  Context: any. */
#ifndef KYMO_LIFECYCLE_EXIT_H
#define KYMO_LIFECYCLE_EXIT_H

/* Resolve the real functions now, while that may allocate.  Context: init. */
void lifecycle_exit_resolve(void);

/* Register the handler for a normal exit.  Context: init. */
void lifecycle_follow_exit(void);
void lifecycle_exit_now(int status) __attribute__((noreturn));
void lifecycle_exit_quickly(int status) __attribute__((noreturn));
void lifecycle_abort(void) __attribute__((noreturn));

#endif

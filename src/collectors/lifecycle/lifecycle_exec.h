/* Implementation of the exec wrappers: the recording ends when another program replaces this
 * one, and continues if that fails.  Also between vfork() and exec().  errno is the wrapped
 * function's.  Context: any. */
#ifndef KYMO_LIFECYCLE_EXEC_H
#define KYMO_LIFECYCLE_EXEC_H

/* Resolve the real functions now, while that may allocate.  Context: init. */
void lifecycle_exec_resolve(void);

int lifecycle_execute(const char *path, char *const argv[], char *const environment[]);
/* As execvpe(): file is searched for along PATH. */
int lifecycle_execute_found(const char *file, char *const argv[], char *const environment[]);
int lifecycle_execute_descriptor(int fd, char *const argv[], char *const environment[]);
int lifecycle_execute_at(int folder, const char *path, char *const argv[],
			 char *const environment[], int flags);

#endif

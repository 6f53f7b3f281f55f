/* exec, behind the wrappers: the recording ends where another program takes its place, and goes on
 * where that fails.  Also between vfork() and exec().  errno is the wrapped function's.  Context:
 * any. */
#ifndef KYMO_LIFECYCLE_EXEC_H
#define KYMO_LIFECYCLE_EXEC_H

/* Find the real functions now, where that may allocate.  Context: init. */
void lifecycle_exec_resolve(void);

int lifecycle_execute(const char *path, char *const argv[], char *const environment[]);
/* As execvpe(): file is searched for along PATH. */
int lifecycle_execute_found(const char *file, char *const argv[], char *const environment[]);
int lifecycle_execute_descriptor(int fd, char *const argv[], char *const environment[]);
int lifecycle_execute_at(int folder, const char *path, char *const argv[],
			 char *const environment[], int flags);

#endif

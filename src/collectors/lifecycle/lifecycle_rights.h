/* Rights that a program gives up, implementation of the wrappers: what needs them is done
 * before, and the call itself is passed on unchanged.  errno is the wrapped function's.
 * Context: thread. */
#ifndef KYMO_LIFECYCLE_RIGHTS_H
#define KYMO_LIFECYCLE_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

struct rlimit;

/* Resolve the real functions now, while that may allocate.  Context: init. */
void lifecycle_rights_resolve(void);

int lifecycle_limit(int resource, const struct rlimit *limit);
int lifecycle_limit_of(pid_t process, int resource, const struct rlimit *limit,
		       struct rlimit *before);
int lifecycle_change_root(const char *path);
int lifecycle_set_user(uid_t user);
int lifecycle_set_effective_user(uid_t user);
int lifecycle_set_users(uid_t real, uid_t effective);
int lifecycle_set_all_users(uid_t real, uid_t effective, uid_t saved);
int lifecycle_unshare(int flags);
int lifecycle_set_namespace(int fd, int kind);
/* The same for system calls by number.  True: lifecycle_rights_given_up() must be called after
 * it. */
bool lifecycle_rights_give_up(long number, const long arguments[6]);
void lifecycle_rights_given_up(void);

#endif

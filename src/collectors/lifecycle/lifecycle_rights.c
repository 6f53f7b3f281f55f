/* Rights that a program gives up: what needs them is done before, and the call itself is passed on
 * unchanged.
 *
 * Servers with privilege separation do this, and the processes that they start to handle
 * untrusted data: no files, no processes, another root, another user, and at last a seccomp
 * filter. */
#include "collectors/lifecycle/lifecycle_rights.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/wrap.h"
#include "runtime/lifecycle/lifecycle.h"

typedef int (*limit_fn)(int, const struct rlimit *);
typedef int (*limit_of_fn)(pid_t, int, const struct rlimit *, struct rlimit *);
typedef int (*root_fn)(const char *);
typedef int (*user_fn)(uid_t);
typedef int (*users_fn)(uid_t, uid_t);
typedef int (*all_users_fn)(uid_t, uid_t, uid_t);
typedef int (*unshare_fn)(int);
typedef int (*namespace_fn)(int, int);

WRAP_SLOT(setrlimit);
WRAP_SLOT(prlimit);
WRAP_SLOT(chroot);
WRAP_SLOT(setuid);
WRAP_SLOT(seteuid);
WRAP_SLOT(setreuid);
WRAP_SLOT(setresuid);
WRAP_SLOT(unshare);
WRAP_SLOT(setns);

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

/* Sufficient for the outputs. */
#define FILE_BYTES_LEAST (UINT64_C(64) << 20)
#define FILES_LEAST	 64u
#define MEMORY_LEAST	 (UINT64_C(256) << 20)
#define STACK_LEAST	 (UINT64_C(1) << 20)
#define SECONDS_LEAST	 60u

void lifecycle_rights_resolve(void)
{
	(void)WRAP_REAL(setrlimit, limit_fn);
	(void)WRAP_REAL(prlimit, limit_of_fn);
	(void)WRAP_REAL(chroot, root_fn);
	(void)WRAP_REAL(setuid, user_fn);
	(void)WRAP_REAL(seteuid, user_fn);
	(void)WRAP_REAL(setreuid, users_fn);
	(void)WRAP_REAL(setresuid, all_users_fn);
	(void)WRAP_REAL(unshare, unshare_fn);
	(void)WRAP_REAL(setns, namespace_fn);
}

static bool is_narrow(int resource, const struct rlimit *limit)
{
	switch (resource) {
	case RLIMIT_FSIZE:
		return limit->rlim_cur < FILE_BYTES_LEAST;
	case RLIMIT_NOFILE:
	case RLIMIT_NPROC:
		return limit->rlim_cur < FILES_LEAST;
	case RLIMIT_AS:
	case RLIMIT_DATA:
		return limit->rlim_cur < MEMORY_LEAST;
	case RLIMIT_STACK:
		return limit->rlim_cur < STACK_LEAST;
	case RLIMIT_CPU:
		return limit->rlim_cur < SECONDS_LEAST;
	default:
		return false;
	}
}

static bool is_of_memory(int resource)
{
	return resource == RLIMIT_AS || resource == RLIMIT_DATA;
}

static void before_limit(int resource, const struct rlimit *limit)
{
	if (!limit || kymo_runtime_is_restricted())
		return;
	if (is_narrow(resource, limit))
		kymo_confine();
	if (is_of_memory(resource) && limit->rlim_cur != RLIM_INFINITY)
		kymo_limit_memory();
}

int lifecycle_limit(int resource, const struct rlimit *limit)
{
	before_limit(resource, limit);
	return WRAP_REAL(setrlimit, limit_fn)(resource, limit);
}

int lifecycle_limit_of(pid_t process, int resource, const struct rlimit *limit,
		       struct rlimit *before)
{
	if (process == 0 || (!kymo_runtime_is_restricted() && process == getpid()))
		before_limit(resource, limit);
	return WRAP_REAL(prlimit, limit_of_fn)(process, resource, limit, before);
}

int lifecycle_change_root(const char *path)
{
	if (!kymo_runtime_is_restricted())
		kymo_confine();
	return WRAP_REAL(chroot, root_fn)(path);
}

/* -1 keeps a user. */
static void before_user(uid_t user)
{
	if (user != (uid_t)-1 && !kymo_runtime_is_restricted() && user != geteuid())
		kymo_confine();
}

int lifecycle_set_user(uid_t user)
{
	before_user(user);
	return WRAP_REAL(setuid, user_fn)(user);
}

int lifecycle_set_effective_user(uid_t user)
{
	before_user(user);
	return WRAP_REAL(seteuid, user_fn)(user);
}

int lifecycle_set_users(uid_t real, uid_t effective)
{
	before_user(effective);
	return WRAP_REAL(setreuid, users_fn)(real, effective);
}

int lifecycle_set_all_users(uid_t real, uid_t effective, uid_t saved)
{
	before_user(effective);
	return WRAP_REAL(setresuid, all_users_fn)(real, effective, saved);
}

#define HIDES	  (CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER) /* files, or new processes */
#define FOR_ALONE (CLONE_NEWUSER | CLONE_NEWTIME | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)

static bool before_unshare(unsigned long flags)
{
	if (kymo_runtime_is_restricted())
		return false;
	if (flags & HIDES)
		kymo_confine();
	if (flags & FOR_ALONE)
		kymo_alone_begin();
	return flags & FOR_ALONE;
}

static bool before_namespace(void)
{
	if (kymo_runtime_is_restricted())
		return false;
	kymo_confine();
	kymo_alone_begin();
	return true;
}

int lifecycle_unshare(int flags)
{
	bool is_alone = before_unshare((unsigned long)flags);
	int result = WRAP_REAL(unshare, unshare_fn)(flags);

	if (is_alone)
		kymo_alone_end();
	return result;
}

int lifecycle_set_namespace(int fd, int kind)
{
	bool is_alone = before_namespace();
	int result = WRAP_REAL(setns, namespace_fn)(fd, kind);

	if (is_alone)
		kymo_alone_end();
	return result;
}

bool lifecycle_rights_give_up(long number, const long arguments[6])
{
	switch (number) {
	case SYS_setuid:
		before_user((uid_t)arguments[0]);
		return false;
	case SYS_setreuid:
	case SYS_setresuid:
		before_user((uid_t)arguments[1]);
		return false;
	case SYS_chroot:
	case SYS_pivot_root:
#ifdef SYS_landlock_restrict_self
	case SYS_landlock_restrict_self:
#endif
		if (!kymo_runtime_is_restricted())
			kymo_confine();
		return false;
	case SYS_unshare:
		return before_unshare((unsigned long)arguments[0]);
	case SYS_setns:
		return before_namespace();
	default:
		return false;
	}
}

void lifecycle_rights_given_up(void)
{
	kymo_alone_end();
}

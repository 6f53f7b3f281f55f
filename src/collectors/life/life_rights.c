/* Rights that a program gives up: what needs them is done before, and what the program is given
 * is the call as it was.
 *
 * Servers that divide their rights do this, and what they start to look at other people's data:
 * no files, no processes, another root, another user, and at last a filter of system calls. */
#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collectors/life/life.h"
#include "collectors/wrap.h"
#include "runtime/lifecycle.h"

typedef int (*limit_fn)(int, const struct rlimit *);
typedef int (*limit_of_fn)(pid_t, int, const struct rlimit *, struct rlimit *);
typedef int (*root_fn)(const char *);
typedef int (*user_fn)(uid_t);
typedef int (*users_fn)(uid_t, uid_t);
typedef int (*all_users_fn)(uid_t, uid_t, uid_t);

WRAP_SLOT(setrlimit);
WRAP_SLOT(prlimit);
WRAP_SLOT(chroot);
WRAP_SLOT(setuid);
WRAP_SLOT(seteuid);
WRAP_SLOT(setreuid);
WRAP_SLOT(setresuid);

#define FILE_BYTES_LEAST (UINT64_C(64) << 20) /* outputs may be as large */
#define FILES_LEAST	 64u

void life_rights_resolve(void)
{
	(void)WRAP_REAL(setrlimit, limit_fn);
	(void)WRAP_REAL(prlimit, limit_of_fn);
	(void)WRAP_REAL(chroot, root_fn);
	(void)WRAP_REAL(setuid, user_fn);
	(void)WRAP_REAL(seteuid, user_fn);
	(void)WRAP_REAL(setreuid, users_fn);
	(void)WRAP_REAL(setresuid, all_users_fn);
}

/* ---- limits ------------------------------------------------------------------------------- */

static bool is_narrow(int resource, const struct rlimit *limit)
{
	switch (resource) {
	case RLIMIT_FSIZE:
		return limit->rlim_cur < FILE_BYTES_LEAST;
	case RLIMIT_NOFILE:
		return limit->rlim_cur < FILES_LEAST;
	case RLIMIT_NPROC:
		return limit->rlim_cur < FILES_LEAST;
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
	else if (is_of_memory(resource) && limit->rlim_cur != RLIM_INFINITY)
		kymo_limit_memory();
}

int life_limit(int resource, const struct rlimit *limit)
{
	before_limit(resource, limit);
	return WRAP_REAL(setrlimit, limit_fn)(resource, limit);
}

int life_limit_of(pid_t process, int resource, const struct rlimit *limit, struct rlimit *before)
{
	if (process == 0 || (!kymo_runtime_is_restricted() && process == getpid()))
		before_limit(resource, limit);
	return WRAP_REAL(prlimit, limit_of_fn)(process, resource, limit, before);
}

/* ---- places and users --------------------------------------------------------------------------
 */

int life_change_root(const char *path)
{
	if (!kymo_runtime_is_restricted())
		kymo_confine();
	return WRAP_REAL(chroot, root_fn)(path);
}

/* -1 leaves a user as it is. */
static void before_user(uid_t user)
{
	if (user != (uid_t)-1 && !kymo_runtime_is_restricted() && user != geteuid())
		kymo_confine();
}

int life_set_user(uid_t user)
{
	before_user(user);
	return WRAP_REAL(setuid, user_fn)(user);
}

int life_set_effective_user(uid_t user)
{
	before_user(user);
	return WRAP_REAL(seteuid, user_fn)(user);
}

int life_set_users(uid_t real, uid_t effective)
{
	before_user(effective);
	return WRAP_REAL(setreuid, users_fn)(real, effective);
}

int life_set_all_users(uid_t real, uid_t effective, uid_t saved)
{
	before_user(effective);
	return WRAP_REAL(setresuid, all_users_fn)(real, effective, saved);
}

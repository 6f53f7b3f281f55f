/* The exported names of libkymo-lifecycle.so.  A program's calls of these are bound to this
 * file; the logic is elsewhere, and hidden, so that no name here calls another by accident.
 * Serves lifecycle.h. */
#include "runtime/lifecycle/lifecycle.h"

#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/lifecycle/lifecycle_exec.h"
#include "collectors/lifecycle/lifecycle_exit.h"
#include "collectors/lifecycle/lifecycle_fork.h"
#include "collectors/lifecycle/lifecycle_rights.h"
#include "collectors/lifecycle/lifecycle_spawn.h"
#include "collectors/lifecycle/lifecycle_thread.h"
#include "collectors/wrap.h"

WRAP_EXPORT void _exit(int status)
{
	lifecycle_exit_now(status);
}

WRAP_EXPORT void _Exit(int status)
{
	lifecycle_exit_now(status);
}

WRAP_EXPORT void quick_exit(int status)
{
	lifecycle_exit_quickly(status);
}

WRAP_EXPORT void abort(void)
{
	lifecycle_abort();
}

WRAP_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			       void *(*routine)(void *), void *argument)
{
	return lifecycle_thread_create(thread, attributes, routine, argument);
}

WRAP_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	return lifecycle_thread_create_c11(thread, routine, argument);
}

WRAP_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	return lifecycle_thread_name(thread, name);
}

WRAP_EXPORT int prctl(int option, ...)
{
	unsigned long arguments[4];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		arguments[i] = va_arg(list, unsigned long);
	va_end(list);
	return lifecycle_control_process(option, arguments);
}

WRAP_EXPORT int __register_atfork(void (*before)(void), void (*in_parent)(void),
				  void (*in_child)(void), void *object);
WRAP_EXPORT int __register_atfork(void (*before)(void), void (*in_parent)(void),
				  void (*in_child)(void), void *object)
{
	return lifecycle_register_handlers(before, in_parent, in_child, object);
}

WRAP_EXPORT pid_t _Fork(void)
{
	return lifecycle_fork_bare();
}

WRAP_EXPORT int daemon(int stays, int keeps_streams)
{
	return lifecycle_daemon(stays, keeps_streams);
}

WRAP_EXPORT int clone(int (*routine)(void *), void *stack, int flags, void *argument, ...)
{
	struct lifecycle_clone call = {routine, stack, flags, argument, NULL, NULL, NULL};
	va_list list;

	va_start(list, argument);
	call.parent_id = va_arg(list, pid_t *);
	call.thread_area = va_arg(list, void *);
	call.child_id = va_arg(list, pid_t *);
	va_end(list);
	return lifecycle_clone(&call);
}

WRAP_SYSCALL(lifecycle_system_call)

WRAP_EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	return lifecycle_limit((int)resource, limit);
}

/* The same with a file size of 64 bits. */
WRAP_EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	return lifecycle_limit((int)resource, (const struct rlimit *)(const void *)limit);
}

WRAP_EXPORT int prlimit(pid_t process, enum __rlimit_resource resource, const struct rlimit *limit,
			struct rlimit *before)
{
	return lifecycle_limit_of(process, (int)resource, limit, before);
}

WRAP_EXPORT int prlimit64(pid_t process, enum __rlimit_resource resource,
			  const struct rlimit64 *limit, struct rlimit64 *before)
{
	return lifecycle_limit_of(process, (int)resource,
				  (const struct rlimit *)(const void *)limit,
				  (struct rlimit *)(void *)before);
}

WRAP_EXPORT int chroot(const char *path)
{
	return lifecycle_change_root(path);
}

WRAP_EXPORT int setuid(uid_t user)
{
	return lifecycle_set_user(user);
}

WRAP_EXPORT int seteuid(uid_t user)
{
	return lifecycle_set_effective_user(user);
}

WRAP_EXPORT int setreuid(uid_t real, uid_t effective)
{
	return lifecycle_set_users(real, effective);
}

WRAP_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return lifecycle_set_all_users(real, effective, saved);
}

WRAP_EXPORT int unshare(int flags)
{
	return lifecycle_unshare(flags);
}

WRAP_EXPORT int setns(int fd, int kind)
{
	return lifecycle_set_namespace(fd, kind);
}

WRAP_EXPORT int execve(const char *path, char *const argv[], char *const environment[])
{
	return lifecycle_execute(path, argv, environment);
}

WRAP_EXPORT int execv(const char *path, char *const argv[])
{
	return lifecycle_execute(path, argv, environ);
}

WRAP_EXPORT int execvp(const char *file, char *const argv[])
{
	return lifecycle_execute_found(file, argv, environ);
}

WRAP_EXPORT int execvpe(const char *file, char *const argv[], char *const environment[])
{
	return lifecycle_execute_found(file, argv, environment);
}

WRAP_EXPORT int fexecve(int fd, char *const argv[], char *const environment[])
{
	return lifecycle_execute_descriptor(fd, argv, environment);
}

WRAP_EXPORT int execveat(int folder, const char *path, char *const argv[],
			 char *const environment[], int flags)
{
	return lifecycle_execute_at(folder, path, argv, environment, flags);
}

static size_t count_arguments(va_list list)
{
	size_t count = 1;

	while (va_arg(list, char *))
		count++;
	return count;
}

/* The arguments up to NULL, and what follows them. */
static char *const *take_arguments(va_list list, const char *first, char **argv)
{
	size_t count = 0;

	argv[count++] = (char *)first;
	while ((argv[count] = va_arg(list, char *)))
		count++;
	return argv;
}

#define TAKE_ARGUMENTS(list, first)                                                                \
	({                                                                                         \
		char **argv_;                                                                      \
		va_start(list, first);                                                             \
		argv_ = __builtin_alloca((count_arguments(list) + 1) * sizeof(*argv_));            \
		va_end(list);                                                                      \
		va_start(list, first);                                                             \
		take_arguments(list, first, argv_);                                                \
	})

WRAP_EXPORT int execl(const char *path, const char *first, ...)
{
	va_list list;
	char *const *argv = TAKE_ARGUMENTS(list, first);

	va_end(list);
	return lifecycle_execute(path, argv, environ);
}

WRAP_EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;
	char *const *argv = TAKE_ARGUMENTS(list, first);

	va_end(list);
	return lifecycle_execute_found(file, argv, environ);
}

WRAP_EXPORT int execle(const char *path, const char *first, ...)
{
	va_list list;
	char *const *argv = TAKE_ARGUMENTS(list, first);
	char *const *environment = va_arg(list, char *const *);

	va_end(list);
	return lifecycle_execute(path, argv, environment);
}

WRAP_EXPORT int system(const char *command)
{
	return lifecycle_shell(command);
}

WRAP_EXPORT FILE *popen(const char *command, const char *mode)
{
	return lifecycle_shell_pipe(command, mode);
}

WRAP_EXPORT int posix_spawn(pid_t *process, const char *path,
			    const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[],
			    char *const environment[])
{
	struct lifecycle_spawn spawn = {process, path, actions, attributes, argv, environment};

	return lifecycle_spawn(&spawn);
}

WRAP_EXPORT int posix_spawnp(pid_t *process, const char *file,
			     const posix_spawn_file_actions_t *actions,
			     const posix_spawnattr_t *attributes, char *const argv[],
			     char *const environment[])
{
	struct lifecycle_spawn spawn = {process, file, actions, attributes, argv, environment};

	return lifecycle_spawn_found(&spawn);
}

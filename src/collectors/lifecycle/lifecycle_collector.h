/* The life cycle of a process and of its threads: the logic behind the exported wrappers.
 *
 * lifecycle_preload.c holds the exported names; all of this is hidden in libkymo-lifecycle.so.
 * Where nothing is recorded each function does what the wrapped one does and nothing else. errno is
 * the wrapped function's. */
#ifndef KYMO_LIFECYCLE_COLLECTOR_H
#define KYMO_LIFECYCLE_COLLECTOR_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <threads.h>
#include <pthread.h>

#include "platform/files/exec_check.h"

/* Find all real functions now, where that may allocate.  Context: init. */
void lifecycle_exit_resolve(void);
void lifecycle_thread_resolve(void);
void lifecycle_fork_resolve(void);
void lifecycle_exec_resolve(void);
void lifecycle_spawn_resolve(void);

/* lifecycle_exit.c: the end of the process. */

/* Register what runs when the process ends in order.  Context: init. */
void lifecycle_follow_exit(void);
void lifecycle_exit_now(int status) __attribute__((noreturn));
void lifecycle_exit_quickly(int status) __attribute__((noreturn));
void lifecycle_abort(void) __attribute__((noreturn));

/* Make the regions of threads.  Context: init. */
void lifecycle_thread_init(void);
int lifecycle_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
			    void *(*routine)(void *), void *argument);
int lifecycle_thread_create_c11(thrd_t *thread, thrd_start_t routine, void *argument);
int lifecycle_thread_name(pthread_t thread, const char *name);
int lifecycle_control_process(int option, const unsigned long arguments[4]);

struct rlimit;
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
/* The same by numbers of system calls.  True: lifecycle_rights_given_up() is to be called behind
 * it. */
bool lifecycle_rights_give_up(long number, const long arguments[6]);
void lifecycle_rights_given_up(void);

/* As pthread_atfork(), which is a part of each library, calls it. */
int lifecycle_register_handlers(void (*before)(void), void (*in_parent)(void),
				void (*in_child)(void), void *object);
pid_t lifecycle_fork_bare(void);
int lifecycle_daemon(int stays, int keeps_streams);
struct lifecycle_clone { /* what clone() was called with */
	int (*routine)(void *);
	void *stack;
	int flags;
	void *argument;
	pid_t *parent_id;
	void *thread_area;
	pid_t *child_id;
};
int lifecycle_clone(const struct lifecycle_clone *clone);
long lifecycle_system_call(long number, const long arguments[6]);

#define LIFECYCLE_PATH_MAX 1024u /* programs with longer paths are not looked at */

/* lifecycle_exec.c, lifecycle_spawn.c. */

int lifecycle_execute(const char *path, char *const argv[], char *const environment[]);
/* As execvpe(): file is searched for along PATH. */
int lifecycle_execute_found(const char *file, char *const argv[], char *const environment[]);
int lifecycle_execute_descriptor(int fd, char *const argv[], char *const environment[]);
int lifecycle_execute_at(int folder, const char *path, char *const argv[],
			 char *const environment[], int flags);

struct lifecycle_spawn { /* what posix_spawn() was called with */
	pid_t *process;
	const char *file;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv;
	char *const *environment;
};
int lifecycle_spawn(const struct lifecycle_spawn *spawn);
/* As posix_spawnp(). */
int lifecycle_spawn_found(const struct lifecycle_spawn *spawn);
/* As system() and popen(). */
int lifecycle_shell(const char *command);
FILE *lifecycle_shell_pipe(const char *command, const char *mode);

/* lifecycle_target.c: the program that is about to run. */
/* What stands against a program whose file was looked at, besides that. */
void lifecycle_target_consider(struct exec_facts *facts);
/* False where the library would do harm, or where the program must not make system calls. */
bool lifecycle_target_can_join(const struct exec_facts *facts);
/* Note that a program is not recorded and why, once a program.  In a child that shares its
 * parent's memory the note is kept for lifecycle_target_flush().  Context: any. */
void lifecycle_target_note(const char *path, const struct exec_facts *facts);
void lifecycle_target_flush(void);

/* lifecycle_environment.c: what a new program needs to join the run. */

#define LIFECYCLE_HANDING_TEXT 3072u
#define LIFECYCLE_HANDING_MORE 72u /* entries that may be added */

struct lifecycle_handing { /* an environment made on the caller's stack */
	char text[LIFECYCLE_HANDING_TEXT];
	size_t used;
};

/* Before a shell that the C library starts by itself: note, once, that it will not join the run,
 * where the program has taken away what it needs for it.  Where our files are out of reach our
 * libraries are taken out of the environment.  Context: thread. */
void lifecycle_environment_check(void);
/* Whether a program that is started now can be recorded: not so in another root, or with other
 * rights, where the loader would complain of our libraries, or they of the run's folder.
 * Context: any. */
bool lifecycle_environment_is_in_reach(void);
/* Keep what this process was given, and take away again what was put into its environment
 * on the way here.  Context: init. */
void lifecycle_environment_keep(void);
/* Number of entries, for room on the caller's stack; 0 = too many, to be left alone. */
size_t lifecycle_environment_count(char *const environment[]);
/* The environment to give to a program: environment itself, or one made in room, of
 * lifecycle_environment_count() + LIFECYCLE_HANDING_MORE entries, and handing.  Context: any. */
char *const *lifecycle_environment_hand_down(struct lifecycle_handing *handing, char **room,
					     char *const environment[], bool is_loadable);

#endif

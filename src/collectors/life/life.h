/* The life of a process and of its threads: the logic behind the exported wrappers.
 *
 * life_preload.c holds the exported names; all of this is hidden in libkymo-life.so.  Where
 * nothing is recorded each function does what the wrapped one does and nothing else.
 * errno is the wrapped function's. */
#ifndef KYMO_LIFE_H
#define KYMO_LIFE_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <threads.h>
#include <pthread.h>

#include "platform/files/exec_check.h"

/* Find all real functions now, where that may allocate.  Context: init. */
void life_exit_resolve(void);
void life_thread_resolve(void);
void life_fork_resolve(void);
void life_exec_resolve(void);
void life_spawn_resolve(void);

/* ---- life_exit.c: the end of the process ------------------------------------------- */

/* Register what runs when the process ends in order.  Context: init. */
void life_follow_exit(void);
void life_exit_now(int status) __attribute__((noreturn));
void life_exit_quickly(int status) __attribute__((noreturn));
void life_abort(void) __attribute__((noreturn));

/* ---- life_thread.c -------------------------------------------------------------------- */

/* Make the regions of threads.  Context: init. */
void life_thread_init(void);
int life_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		       void *(*routine)(void *), void *argument);
int life_thread_create_c11(thrd_t *thread, thrd_start_t routine, void *argument);
int life_thread_name(pthread_t thread, const char *name);
int life_control_process(int option, const unsigned long arguments[4]);

/* ---- life_rights.c ---------------------------------------------------------------------- */

struct rlimit;
void life_rights_resolve(void);
int life_limit(int resource, const struct rlimit *limit);
int life_limit_of(pid_t process, int resource, const struct rlimit *limit, struct rlimit *before);
int life_change_root(const char *path);
int life_set_user(uid_t user);
int life_set_effective_user(uid_t user);
int life_set_users(uid_t real, uid_t effective);
int life_set_all_users(uid_t real, uid_t effective, uid_t saved);
int life_unshare(int flags);
int life_set_namespace(int fd, int kind);
/* The same by numbers of system calls.  True: life_rights_given_up() is to be called behind it. */
bool life_rights_give_up(long number, const long arguments[6]);
void life_rights_given_up(void);

/* ---- life_fork.c ------------------------------------------------------------------------ */

/* As pthread_atfork(), which is a part of each library, calls it. */
int life_register_handlers(void (*before)(void), void (*in_parent)(void), void (*in_child)(void),
			   void *object);
pid_t life_fork_bare(void);
int life_daemon(int stays, int keeps_streams);
struct life_clone { /* what clone() was called with */
	int (*routine)(void *);
	void *stack;
	int flags;
	void *argument;
	pid_t *parent_id;
	void *thread_area;
	pid_t *child_id;
};
int life_clone(const struct life_clone *clone);
long life_system_call(long number, const long arguments[6]);

#define LIFE_PATH_MAX 1024u /* programs with longer paths are not looked at */

/* ---- life_exec.c, life_spawn.c ------------------------------------------------------------ */

int life_execute(const char *path, char *const argv[], char *const environment[]);
/* As execvpe(): file is searched for along PATH. */
int life_execute_found(const char *file, char *const argv[], char *const environment[]);
int life_execute_descriptor(int fd, char *const argv[], char *const environment[]);
int life_execute_at(int folder, const char *path, char *const argv[], char *const environment[],
		    int flags);

struct life_spawn { /* what posix_spawn() was called with */
	pid_t *process;
	const char *file;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv;
	char *const *environment;
};
int life_spawn(const struct life_spawn *spawn);
/* As posix_spawnp(). */
int life_spawn_found(const struct life_spawn *spawn);
/* As system() and popen(). */
int life_shell(const char *command);
FILE *life_shell_pipe(const char *command, const char *mode);

/* ---- life_target.c: the program that is about to run --------------------------------------- */

/* What stands against a program whose file was looked at, besides that. */
void life_target_consider(struct exec_facts *facts);
/* False where the library would do harm, or where the program must not make system calls. */
bool life_target_can_join(const struct exec_facts *facts);
/* Note that a program is not recorded and why, once a program.  In a child that shares its
 * parent's memory the note is kept for life_target_flush().  Context: any. */
void life_target_note(const char *path, const struct exec_facts *facts);
void life_target_flush(void);

/* ---- life_environment.c: what a new program needs to join the run --------------------------- */

#define LIFE_HANDING_TEXT 3072u
#define LIFE_HANDING_MORE 72u /* entries that may be added */

struct life_handing { /* an environment made on the caller's stack */
	char text[LIFE_HANDING_TEXT];
	size_t used;
};

/* Before a shell that the C library starts by itself: note, once, that it will not join the run,
 * where the program has taken away what it needs for it.  Where our files are out of reach our
 * libraries are taken out of the environment.  Context: thread. */
void life_environment_check(void);
/* Whether a program that is started now can be recorded: not so in another root, or with other
 * rights, where the loader would complain of our libraries, or they of the run's folder.
 * Context: any. */
bool life_environment_is_in_reach(void);
/* Keep what this process was given, and take away again what was put into its environment
 * on the way here.  Context: init. */
void life_environment_keep(void);
/* Number of entries, for room on the caller's stack; 0 = too many, to be left alone. */
size_t life_environment_count(char *const environment[]);
/* The environment to give to a program: environment itself, or one made in room, of
 * life_environment_count() + LIFE_HANDING_MORE entries, and handing.  Context: any. */
char *const *life_environment_hand_down(struct life_handing *handing, char **room,
					char *const environment[], bool is_loadable);

#endif

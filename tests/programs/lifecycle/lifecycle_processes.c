/* Begins processes and programs in the way that its first argument names; the others are the
 * program to run.  Says what became of them and ends with status 5. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char **rest; /* the program to run and its arguments */

static int reap(pid_t child)
{
	int status = 0;

	if (child < 0)
		return printf("no child: %s\n", strerror(errno)), 5;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	printf("child: %s %d\n", WIFEXITED(status) ? "status" : "signal",
	       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return 5;
}

static int fork_return(void)
{
	pid_t child = fork();

	if (child == 0)
		exit(3);
	return reap(child);
}

static int fork_leave(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(3);
	return reap(child);
}

static int fork_abort(void)
{
	pid_t child = fork();

	if (child == 0)
		abort();
	return reap(child);
}

static void *nothing(void *argument)
{
	return argument;
}

static void *forking(void *status)
{
	*(int *)status = fork_return();
	return NULL;
}

static int fork_in_thread(void)
{
	pthread_t thread;
	int status = 0;

	pthread_create(&thread, NULL, forking, &status);
	pthread_join(thread, NULL);
	return status;
}

static int fork_nested(void)
{
	pid_t child = fork();

	if (child == 0)
		exit(fork_return() == 5 ? 4 : 9);
	return reap(child);
}

static int fork_storm(void)
{
	enum { COUNT = 24 };
	pid_t children[COUNT];
	int good = 0;

	for (int i = 0; i < COUNT; i++) {
		children[i] = fork();
		if (children[i] == 0)
			i % 2 ? exit(i) : _exit(i);
	}
	for (int i = 0; i < COUNT; i++) {
		int status;

		waitpid(children[i], &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == i;
	}
	printf("%d of %d\n", good, COUNT);
	return 5;
}

static void thread_and_exit(int status)
{
	pthread_t thread;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	exit(status);
}

static int bare_fork(void)
{
	pid_t child = _Fork();

	if (child == 0)
		thread_and_exit(3);
	return reap(child);
}

static int system_call_fork(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		thread_and_exit(3);
	return reap(child);
}

static int in_clone(void *status)
{
	pthread_t thread;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	return *(int *)status;
}

static int cloned(void)
{
	static char stack[1 << 18] __attribute__((aligned(16)));
	int status = 3;

	return reap(clone(in_clone, stack + sizeof(stack), SIGCHLD, &status));
}

static int vfork_leave(void)
{
	pid_t child = vfork();

	if (child == 0)
		_exit(3);
	return reap(child);
}

static int vfork_run(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execv(rest[0], rest);
		_exit(127);
	}
	return reap(child);
}

static int vfork_fail(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execlp("/no/such/program", "program", (char *)NULL);
		_exit(errno == ENOENT ? 3 : 9);
	}
	return reap(child);
}

static int vfork_cleared(void)
{
	static char *const empty[] = {"ONLY=this", NULL};
	pid_t child = vfork();

	if (child == 0) {
		execve(rest[0], rest, empty);
		_exit(127);
	}
	return reap(child);
}

static int spawn(char **environment)
{
	pid_t child = -1;
	int result = posix_spawn(&child, rest[0], NULL, NULL, rest, environment);

	if (result != 0)
		return printf("spawn: %s\n", strerror(result)), 5;
	return reap(child);
}

static int spawned(void)
{
	return spawn(environ);
}

static int spawned_cleared(void)
{
	static char *empty[] = {NULL};

	return spawn(empty);
}

static int spawned_preload(void)
{
	static char *other[] = {"A=1", "LD_PRELOAD=libm.so.6", "B=2", NULL};

	return spawn(other);
}

static int spawned_search(void)
{
	char *program[] = {"true", NULL};
	pid_t child = -1;

	return posix_spawnp(&child, "true", NULL, NULL, program, environ) ? 99 : reap(child);
}

static int by_shell(void)
{
	FILE *pipe = popen("echo piped", "r");
	char line[64] = "";

	printf("system: %d\n", WEXITSTATUS(system("exit 3")));
	if (!pipe || !fgets(line, sizeof(line), pipe))
		return 99;
	printf("%spopen: %d\n", line, WEXITSTATUS(pclose(pipe)));
	return 5;
}

static int unset(void)
{
	unsetenv("LD_PRELOAD");
	unsetenv("KYMO_RUN_DIR");
	execv(rest[0], rest);
	return 99;
}

static int clear(void)
{
	clearenv();
	execv(rest[0], rest);
	return 99;
}

static int replace(void)
{
	execv(rest[0], rest);
	return 99;
}

static int replace_listed(void)
{
	execl(rest[0], rest[0], rest[1], (char *)NULL);
	return 99;
}

static int replace_listed_environment(void)
{
	char *const environment[] = {"LISTED=1", NULL};

	execle(rest[0], rest[0], rest[1], (char *)NULL, environment);
	return 99;
}

static int replace_open(void)
{
	fexecve(open(rest[0], O_RDONLY | O_CLOEXEC), rest, environ);
	return 99;
}

static int replace_at(void)
{
	execveat(AT_FDCWD, rest[0], rest, environ, 0);
	return 99;
}

static void *sleeping(void *unused)
{
	pause();
	return unused;
}

static int replace_with_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, sleeping, NULL);
	execv(rest[0], rest);
	return 99;
}

static int fail_and_go_on(void)
{
	const char *volatile no_path = NULL;
	pthread_t thread;

	if (execve(no_path, rest, environ) != -1 || errno != EFAULT)
		return 98;
	for (int i = 0; i < 100; i++)
		if (execv("/no/such/program", rest) != -1 || errno != ENOENT)
			return 99;
	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_join(thread, NULL);
	}
	return 5;
}

/* Runs itself again until the count in its last argument is used up. */
static int loop(void)
{
	char *count = rest[1];

	if (atoi(count) == 0)
		return 5;
	sprintf(count, "%d", atoi(count) - 1);
	execl("/proc/self/exe", "lifecycle_processes", "loop", "", count, (char *)NULL);
	return 99;
}

static int environment(void)
{
	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, "PWD=", 4) != 0)
			puts(*entry);
	return 5;
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{"fork_return", fork_return},
	{"fork_leave", fork_leave},
	{"fork_abort", fork_abort},
	{"fork_in_thread", fork_in_thread},
	{"fork_nested", fork_nested},
	{"fork_storm", fork_storm},
	{"bare_fork", bare_fork},
	{"system_call_fork", system_call_fork},
	{"cloned", cloned},
	{"vfork_leave", vfork_leave},
	{"vfork_run", vfork_run},
	{"vfork_fail", vfork_fail},
	{"vfork_cleared", vfork_cleared},
	{"spawned", spawned},
	{"spawned_cleared", spawned_cleared},
	{"spawned_preload", spawned_preload},
	{"spawned_search", spawned_search},
	{"by_shell", by_shell},
	{"unset", unset},
	{"clear", clear},
	{"replace", replace},
	{"replace_listed", replace_listed},
	{"replace_listed_environment", replace_listed_environment},
	{"replace_open", replace_open},
	{"replace_at", replace_at},
	{"replace_with_threads", replace_with_threads},
	{"fail_and_go_on", fail_and_go_on},
	{"loop", loop},
	{"environment", environment},
};

int main(int argc, char **argv)
{
	rest = argv + 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name))
			return kinds[i].run();
	return 98;
}

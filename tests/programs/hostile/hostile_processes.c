/* Processes in every hostile way: forks from threads, storms, loops of exec, vfork. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long shared;
static volatile int is_over;

static int wait_for(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static void *add(void *argument)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

static void *busy(void *argument)
{
	while (!is_over) {
		pthread_t thread;

		add(NULL);
		if (pthread_create(&thread, NULL, add, NULL) == 0)
			pthread_join(thread, NULL);
	}
	return argument;
}

/* In the child another thread may hold the lock: it makes a thread that takes none. */
static void *idle(void *argument)
{
	return argument;
}

static void *fork_often(void *argument)
{
	int sum = 0;

	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, idle, NULL) == 0)
				pthread_join(thread, NULL);
			if (i % 2)
				_exit(i);
			exit(i);
		}
		sum += wait_for(child);
	}
	*(int *)argument = sum;
	return NULL;
}

static void in_thread(void)
{
	pthread_t threads[3], forker;
	int sum = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, busy, NULL);
	pthread_create(&forker, NULL, fork_often, &sum);
	pthread_join(forker, NULL);
	is_over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("children said %d\n", sum);
}

/* A tree of forks, each process with two children. */
static int storm(int depth)
{
	pid_t children[2];
	int sum = 1;

	if (depth == 0)
		return 1;
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(storm(depth - 1));
		if (children[i] < 0)
			return 200;
	}
	for (int i = 0; i < 2; i++)
		sum += wait_for(children[i]);
	return sum;
}

static void chain(const char *program, int left)
{
	char number[16];
	char *arguments[] = {(char *)program, "chain", number, NULL};

	snprintf(number, sizeof(number), "%d", left - 1);
	if (left == 0) {
		printf("the last one\n");
		return;
	}
	switch (left % 4) {
	case 0:
		execv(program, arguments);
		break;
	case 1:
		execve(program, arguments, environ);
		break;
	case 2:
		execl(program, program, "chain", number, (char *)NULL);
		break;
	default:
		execvpe(program, arguments, environ);
	}
	printf("exec failed\n");
}

static void vforks(const char *program)
{
	volatile int sum = 0;

	for (volatile int i = 0; i < 10; i++) {
		volatile pid_t child = vfork();

		if (child == 0) {
			if (i % 2)
				execl(program, program, "status", (char *)NULL);
			execl("/nowhere", "nowhere", (char *)NULL);
			_exit(7);
		}
		sum += wait_for(child);
	}
	printf("vforks: %d\n", sum);
}

static void spawns(const char *program)
{
	char *arguments[] = {(char *)program, "status", NULL}, text[64] = "";
	pid_t child;
	FILE *pipe;
	int result;

	result = posix_spawn(&child, program, NULL, NULL, arguments, environ);
	printf("posix_spawn: %d %d\n", result, wait_for(child));
	result = posix_spawnp(&child, "true", NULL, NULL, (char *[]){"true", NULL}, environ);
	printf("posix_spawnp: %d %d\n", result, wait_for(child));
	printf("none: %d\n", posix_spawn(&child, "/nowhere", NULL, NULL, arguments, environ));
	printf("system: %d %d\n", WEXITSTATUS(system("exit 5")), system(NULL) != 0);
	pipe = popen("echo to the pipe; exit 6", "r");
	result = fgets(text, sizeof(text), pipe) != NULL;
	printf("popen: %d %s", result, text);
	printf("pclose: %d\n", WEXITSTATUS(pclose(pipe)));
}

static int fail_exec(void)
{
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	printf("%d", execl("/nowhere", "nowhere", (char *)NULL) < 0 ? errno : 0);
	printf(" %d", execl("/", "directory", (char *)NULL) < 0 ? errno : 0);
	printf(" %d", execl("/etc/passwd", "not executable", (char *)NULL) < 0 ? errno : 0);
	printf(" %d", execlp("no-such-program-anywhere", "none", (char *)NULL) < 0 ? errno : 0);
	printf(" %d", execv(text, environ) < 0 ? errno : 0);
	printf(" %d\n", execv("", environ) < 0 ? errno : 0);
	return 0;
}

/* Children without an environment, or with one that preloads something else. */
static void environments(const char *program)
{
	char *arguments[] = {(char *)program, "environment", NULL}, *none[] = {NULL};
	char *other[] = {"LD_PRELOAD=libm.so.6", "COLOUR=blue", NULL};
	char **variants[] = {none, other};

	for (int i = 0; i < 2; i++) {
		pid_t child = fork();

		fflush(stdout);
		if (child == 0) {
			execve(program, arguments, variants[i]);
			_exit(9);
		}
		printf("%d\n", wait_for(child));
	}
	fflush(stdout);
	clearenv();
	printf("%d\n", WEXITSTATUS(system("exit 5")));
	setenv("LD_PRELOAD", "libm.so.6", 1);
	printf("%d\n", WEXITSTATUS(system("exit 6")));
	unsetenv("LD_PRELOAD");
	if (fork() == 0)
		exit(0);
	printf("%d\n", wait_for(-1));
}

static int environment(void)
{
	const char *colour = getenv("COLOUR");

	printf("colour: %s\n", colour ? colour : "none");
	return 0;
}

static int run(char **arguments)
{
	const char *kind = arguments[1];

	if (!strcmp(kind, "status"))
		return 11;
	if (!strcmp(kind, "environment"))
		return environment();
	if (!strcmp(kind, "in_thread"))
		in_thread();
	else if (!strcmp(kind, "storm"))
		printf("%d processes\n", storm(5));
	else if (!strcmp(kind, "chain"))
		chain(arguments[0], atoi(arguments[2]));
	else if (!strcmp(kind, "vforks"))
		vforks(arguments[0]);
	else if (!strcmp(kind, "spawns"))
		spawns(arguments[0]);
	else if (!strcmp(kind, "environments"))
		environments(arguments[0]);
	else if (!strcmp(kind, "fail_exec"))
		return fail_exec();
	else
		return 2;
	return 5;
}

int main(int count, char **arguments)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	return count > 1 ? run(arguments) : 2;
}

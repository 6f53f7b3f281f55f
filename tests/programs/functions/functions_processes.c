/* Processes: made in every way, from the main thread, beside others and from handlers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions_scene.h"

#define NOINLINE __attribute__((noinline))

extern char **environ;

static NOINLINE uint64_t work(int depth, uint64_t value)
{
	return depth == 0 ? value : work(depth - 1, value * 31 + 7) ^ (uint64_t)depth;
}

static NOINLINE int status_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static NOINLINE pid_t fork_deep(int depth)
{
	pid_t child = depth == 0 ? fork() : fork_deep(depth - 1);

	work(depth, 3);
	return child;
}

static void play_fork(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = fork_deep(i);

		if (child == 0)
			_exit((int)(work(20, (uint64_t)i) & 127));
		mix((uint64_t)status_of(child));
	}
}

static NOINLINE int run_by_vfork(const char *command)
{
	pid_t child = vfork();

	if (child == 0) {
		work(5, 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(99);
	}
	return status_of(child);
}

static NOINLINE int end_by_vfork(int status)
{
	pid_t child = vfork();

	if (child == 0)
		_exit(status);
	return status_of(child);
}

static void play_vfork(void)
{
	char command[20];

	for (int i = 0; i < 5; i++) {
		snprintf(command, sizeof(command), "exit %d", i);
		mix((uint64_t)run_by_vfork(command));
		mix((uint64_t)end_by_vfork(i + 20));
		mix(work(30, 1));
	}
}

static void play_spawn(void)
{
	char *const command[] = {"sh", "-c", "exit 12", NULL};
	pid_t child;

	for (int i = 0; i < 3; i++) {
		mix((uint64_t)posix_spawn(&child, "/bin/sh", NULL, NULL, command, environ));
		mix((uint64_t)status_of(child));
		mix((uint64_t)posix_spawnp(&child, "no such program", NULL, NULL, command,
					   environ));
	}
}

static void play_popen(void)
{
	char line[100];

	for (int i = 0; i < 3; i++) {
		FILE *pipe = popen("echo one; echo two; exit 3", "r");

		while (fgets(line, sizeof(line), pipe))
			mix_bytes(line, strlen(line));
		mix((uint64_t)pclose(pipe));
		mix((uint64_t)system("exit 4"));
	}
}

static volatile int is_over;

static void *calls_on(void *unused)
{
	while (!is_over)
		work(20, 1);
	return unused;
}

static NOINLINE int child_with_threads(void)
{
	pthread_t thread;

	is_over = 1;
	if (pthread_create(&thread, NULL, calls_on, NULL) || pthread_join(thread, NULL))
		return 1;
	return (int)(work(9, 9) & 63) + 2;
}

static void play_beside(void)
{
	pthread_t threads[3];

	is_over = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, calls_on, NULL);
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(child_with_threads());
		mix((uint64_t)status_of(child));
	}
	is_over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static volatile pid_t made;

static void on_signal(int signal)
{
	work(signal, 1);
	made = fork();
}

static void play_handler(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 5; i++) {
		raise(SIGUSR1);
		if (made == 0)
			_exit((int)(work(i, 5) & 127));
		mix((uint64_t)status_of(made));
	}
}

static int body(void *number)
{
	return (int)(work(10, *(uint64_t *)number) & 63);
}

static void play_clone(void)
{
	char *stack = mmap(NULL, 262144, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	for (uint64_t i = 0; i < 5; i++) {
		mix((uint64_t)status_of(clone(body, stack + 262144, SIGCHLD, &i)));
		mix((uint64_t)status_of(
			clone(body, stack + 262144, CLONE_VM | CLONE_VFORK | SIGCHLD, &i)));
	}
	munmap(stack, 262144);
}

static void at_exit(void)
{
	work(5, 5);
}

static NOINLINE void end_deep(int depth, int way)
{
	if (depth > 0)
		end_deep(depth - 1, way);
	switch (way) {
	case 0:
		exit(3);
	case 1:
		_exit(4);
	case 2:
		quick_exit(5);
	case 3:
		abort();
	case 4:
		raise(SIGKILL);
		break;
	default:
		*(volatile int *)0 = 1;
	}
}

static void play_ends(void)
{
	for (int way = 0; way < 6; way++) {
		pid_t child = fork();

		if (child == 0) {
			atexit(at_exit);
			at_quick_exit(at_exit);
			end_deep(10, way);
		}
		mix((uint64_t)status_of(child));
	}
}

static const struct scene scenes[] = {
	{"fork", play_fork},   {"vfork", play_vfork},	{"spawn", play_spawn},
	{"popen", play_popen}, {"beside", play_beside}, {"handler", play_handler},
	{"clone", play_clone}, {"ends", play_ends},
};

int main(int argc, char **argv)
{
	return SCENES(scenes, argc, argv);
}

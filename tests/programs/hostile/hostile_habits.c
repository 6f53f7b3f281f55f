/* Habits that programs have: what each shows is the same whoever watches.  The kind is the first
 * argument. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY	   65534
#define MASK_BYTES 8

extern char **environ;

static volatile unsigned long sum;

static void work(void)
{
	struct timespec begun, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
	do {
		for (int i = 0; i < 1000; i++)
			sum += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec < 20000000);
}

static void *work_in_thread(void *argument)
{
	work();
	return argument;
}

static void show(const char *what, long number)
{
	printf("%s %ld\n", what, number);
	fflush(stdout);
}

static void start_thread(void)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, work_in_thread, NULL);

	show("thread", error);
	if (!error)
		pthread_join(thread, NULL);
}

static void await(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	show("child", status);
}

static void no_environment(void)
{
	pid_t child;

	clearenv();
	work();
	show("environment", environ != NULL);
	show("shell", system("exit 3"));
	child = fork();
	if (child == 0) {
		work();
		exit(4);
	}
	await(child);
	child = fork();
	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(99);
	}
	await(child);
}

/* As much as the program could have by itself. */
static void limited(int which, rlim_t bytes)
{
	struct rlimit limit = {bytes, bytes};
	char *memory;

	work();
	show("limit", setrlimit(which, &limit));
	work();
	memory = malloc(bytes / 4);
	show("memory", memory != NULL);
	if (memory)
		memset(memory, 1, bytes / 4);
	start_thread();
}

/* Between vfork() and exec(): what Kymo knows is the parent's. */
static void rights_of_children(void)
{
	struct rlimit none = {0, 0};
	int right = 0;

	for (int i = 0; i < 20; i++) {
		int status = -1;
		pid_t child = vfork();

		if (child == 0) {
			setrlimit(RLIMIT_FSIZE, &none);
			if (getuid() == 0 && setuid(NOBODY) != 0)
				_exit(98);
			execl("/bin/true", "true", NULL);
			_exit(99);
		}
		waitpid(child, &status, 0);
		right += status == 0;
	}
	show("right", right);
	work();
}

/* What is started there has a loader, which complains of libraries that it does not find. */
static void another_root(const char *place)
{
	pid_t child;

	if (chroot(place) != 0 || chdir("/") != 0)
		printf("no chroot: %s\n", strerror(errno));
	show("shell", system("echo by the shell; exit 3"));
	child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "echo by exec; exit 5", NULL);
		_exit(99);
	}
	await(child);
	work();
}

/* One thread alone may enter a namespace of users.  Where the kernel allows it to nobody, that is
 * what is shown. */
static void namespaces(int is_by_number)
{
	int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID;
	pid_t child;

	work();
	show("unshare", is_by_number ? syscall(SYS_unshare, flags) : unshare(flags));
	child = fork();
	if (child == 0) {
		show("first", getpid() == 1);
		work();
		exit(6);
	}
	await(child); /* with whom all ends there: nobody can be started any more */
	work();
}

static void signal_by_call(int number, void *action, void *before)
{
	long result = syscall(SYS_rt_sigaction, number, action, before, MASK_BYTES);

	show("sigaction", result);
	show("errno", result < 0 ? errno : 0);
}

/* Pointers that lead nowhere are errors to the kernel. */
static void bad_pointers(void)
{
	static const int numbers[] = {SIGUSR1, 62, 63, 64};
	void *nowhere = (void *)8;

	work();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		errno = 0;
		signal_by_call(numbers[i], nowhere, NULL);
		signal_by_call(numbers[i], NULL, nowhere);
		signal_by_call(numbers[i], nowhere, nowhere);
	}
	work();
}

int main(int count, char **arguments)
{
	const char *kind = count > 1 ? arguments[1] : "";

	if (!strcmp(kind, "no_environment"))
		no_environment();
	else if (!strcmp(kind, "address_space"))
		limited(RLIMIT_AS, 256ul << 20);
	else if (!strcmp(kind, "data"))
		limited(RLIMIT_DATA, 256ul << 20);
	else if (!strcmp(kind, "little_memory"))
		limited(RLIMIT_AS, 64ul << 20);
	else if (!strcmp(kind, "namespaces"))
		namespaces(0);
	else if (!strcmp(kind, "namespaces_by_number"))
		namespaces(1);
	else if (!strcmp(kind, "rights_of_children"))
		rights_of_children();
	else if (!strcmp(kind, "another_root") && count > 2)
		another_root(arguments[2]);
	else if (!strcmp(kind, "bad_pointers"))
		bad_pointers();
	else
		return 2;
	return 5;
}

/* A program that takes away what Kymo works with, then works on. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_OF_KYMO 64 /* descriptors of the recordings lie above */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *add(void *argument)
{
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

/* Threads, locks and a child: new chunks, a new recording. */
static void work(void)
{
	pthread_t threads[4];
	int status = -1, made = 0;
	pid_t child;

	count = 0;
	for (int i = 0; i < 4; i++)
		made += pthread_create(&threads[made], NULL, add, NULL) == 0;
	for (int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (child == 0) {
		add(NULL);
		_exit(3);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	printf("%ld, child %d\n", count, child < 0 ? -1 : WEXITSTATUS(status));
	fflush(stdout);
}

static void close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	work();
	closefrom(3);
	work();
}

/* Every number is now somebody else's file: nothing may be written there. */
static void replace_all(void)
{
	char name[] = "replacedXXXXXX";
	int file = mkstemp(name);
	struct stat status;

	for (int fd = 3; fd < 200; fd++)
		if (fd != file)
			dup2(file, fd);
	work();
	fstat(file, &status);
	printf("%ld bytes written there\n", (long)status.st_size);
	unlink(name);
}

static void change_directory(void)
{
	if (chdir("/") == 0)
		work();
}

static void change_root(const char *place)
{
	int outside = open("/", O_RDONLY | O_DIRECTORY);

	if (chroot(place) != 0 || chdir("/") != 0)
		printf("no chroot: %s\n", strerror(errno));
	work();
	close(outside);
}

static void limit(int which, rlim_t number)
{
	struct rlimit both = {number, number};

	if (setrlimit(which, &both) != 0)
		printf("no limit: %s\n", strerror(errno));
	work();
}

/* All permissions and the right to have a process: only for a user without privileges. */
static void limit_processes(void)
{
	if (getuid() == 0 && setuid(65534) != 0)
		printf("no setuid\n");
	limit(RLIMIT_NPROC, 0);
}

static void install(const struct sock_filter *filter, unsigned short length)
{
	struct sock_fprog program = {length, (struct sock_filter *)filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		printf("no filter: %s\n", strerror(errno));
}

#define NUMBER	     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ON(call, do) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET, do)
#define REFUSED	     (SECCOMP_RET_ERRNO | EPERM)

/* What a recording needs is refused; a thread's stack cannot be had either. */
static void refuse(void)
{
	static const struct sock_filter filter[] = {
		NUMBER,
		ON(openat, REFUSED),
		ON(open, REFUSED),
		ON(fallocate, REFUSED),
		ON(ftruncate, REFUSED),
		ON(pwrite64, REFUSED),
		ON(rename, REFUSED),
		ON(renameat, REFUSED),
		ON(unlink, REFUSED),
		ON(fcntl, REFUSED),
		ON(fstat, REFUSED),
		ON(newfstatat, REFUSED),
		ON(execve, REFUSED),
		ON(gettid, REFUSED),
		ON(getrusage, REFUSED),
		BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW),
	};

	printf("before\n");
	fflush(stdout);
	install(filter, sizeof(filter) / sizeof(*filter));
	work();
}

/* Anything but a few calls ends the process. */
static void forbid(unsigned action)
{
	const struct sock_filter filter[] = {
		NUMBER,
		ON(read, SECCOMP_RET_ALLOW),
		ON(write, SECCOMP_RET_ALLOW),
		ON(exit, SECCOMP_RET_ALLOW),
		ON(exit_group, SECCOMP_RET_ALLOW),
		ON(rt_sigreturn, SECCOMP_RET_ALLOW),
		ON(futex, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET, action),
	};

	printf("before\n");
	fflush(stdout);
	install(filter, sizeof(filter) / sizeof(*filter));
	add(NULL);
	printf("%ld\n", count);
	fflush(stdout);
}

static void strict(void)
{
	printf("before\n");
	fflush(stdout);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		printf("not strict: %s\n", strerror(errno));
	add(NULL);
	(void)!write(STDOUT_FILENO, "after\n", 6);
	syscall(SYS_exit, 5);
}

static void trapped(int number, siginfo_t *info, void *context)
{
	char text[] = "trapped 000\n";

	(void)number;
	(void)context;
	for (int i = 10, call = info->si_syscall; i > 7; i--, call /= 10)
		text[i] = (char)('0' + call % 10);
	(void)!write(STDOUT_FILENO, text, sizeof(text) - 1);
}

static void trap(void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &action, NULL);
	forbid(SECCOMP_RET_TRAP);
}

static void show_lines(const char *path, const char *const *wanted)
{
	FILE *file = fopen(path, "r");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		for (const char *const *each = wanted; *each; each++)
			if (!strncmp(line, *each, strlen(*each)))
				printf("%s", line);
	if (file)
		fclose(file);
}

static void show_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int is_open[FIRST_OF_KYMO] = {0};

	for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
		if (atoi(entry->d_name) < FIRST_OF_KYMO)
			is_open[atoi(entry->d_name)] = entry->d_name[0] != '.';
	closedir(directory);
	printf("open:");
	for (int i = 0; i < FIRST_OF_KYMO; i++)
		if (is_open[i])
			printf(" %d", i);
	printf("\n");
}

/* What a program can see of itself. */
static void show_state(void)
{
	static const char *const status[] = {"Umask",  "Threads", "SigPnd", "ShdPnd",	  "SigBlk",
					     "SigIgn", "SigCgt",  "CapEff", "NoNewPrivs", NULL};
	static const char *const limits[] = {"Max", NULL};
	char directory[4096];

	show_descriptors();
	show_lines("/proc/self/status", status);
	show_lines("/proc/self/limits", limits);
	printf("single-threaded %d\n", __libc_single_threaded);
	printf("in %s\n", getcwd(directory, sizeof(directory)));
	printf("child %d", waitpid(-1, NULL, WNOHANG));
	printf(" %d\n", errno == ECHILD);
	printf("nice %d, session %d, group %d\n", getpriority(PRIO_PROCESS, 0),
	       getsid(0) == getpid(), getpgrp() == getpid());
	printf("name %s\n", program_invocation_name);
	fflush(stdout);
}

static void show_state_again(void)
{
	printf("at the end\n");
	show_state();
}

static void state(void)
{
	errno = 0;
	show_state();
	atexit(show_state_again);
}

static int run(char **arguments)
{
	const char *kind = arguments[1];

	if (!strcmp(kind, "close_all"))
		close_all();
	else if (!strcmp(kind, "replace_all"))
		replace_all();
	else if (!strcmp(kind, "chdir"))
		change_directory();
	else if (!strcmp(kind, "chroot"))
		change_root(arguments[2]);
	else if (!strcmp(kind, "descriptors"))
		limit(RLIMIT_NOFILE, 3);
	else if (!strcmp(kind, "file_size"))
		limit(RLIMIT_FSIZE, 0);
	else if (!strcmp(kind, "address_space"))
		limit(RLIMIT_AS, 1 << 20);
	else if (!strcmp(kind, "processes"))
		limit_processes();
	else if (!strcmp(kind, "refuse"))
		refuse();
	else if (!strcmp(kind, "kill"))
		forbid(SECCOMP_RET_KILL_PROCESS);
	else if (!strcmp(kind, "trap"))
		trap();
	else if (!strcmp(kind, "strict"))
		strict();
	else if (!strcmp(kind, "state"))
		state();
	else if (!strcmp(kind, "work"))
		work();
	else
		return 2;
	return 5;
}

int main(int number, char **arguments)
{
	return number > 1 ? run(arguments) : 2;
}

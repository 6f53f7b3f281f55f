/* The worker of kymo finish, and its parent.
 *
 * The worker holds the writing end of a pipe: it writes the timeout there, and its end closes
 * it. */
#include "cli/results/finish_bounds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/plaintext.h"
#include "cli/commands.h"
#include "platform/systemclock.h"

#define CPU_MOST_S    3600	 /* of a worker: far more than the largest runs need */
#define TIME_MOST_S   (4 * 3600) /* a bound for waiting */
#define SIZE_RATIO    64	 /* bytes of a file per recorded byte */
#define SIZE_LEAST    (UINT64_C(256) << 20)
#define WAIT_FOR_EVER 0

static int timeout_pipe = -1; /* the worker's end of the pipe */
static pid_t waiting;	      /* the worker's parent */

/* Never raises a limit. */
static void limit(__rlimit_resource_t resource, uint64_t most)
{
	struct rlimit limits;

	if (getrlimit(resource, &limits) < 0 || limits.rlim_cur <= most)
		return;
	limits.rlim_cur = most;
	setrlimit(resource, &limits);
}

void finish_bounds_set(const struct settings *settings, uint64_t recorded_bytes)
{
	uint64_t most = (uint64_t)settings_integer(settings, SET_FINISH_SIZE) << 20;
	double wait_s = settings_number(settings, SET_FINISH_WAIT);

	if (timeout_pipe < 0)
		return;
	if (most == 0)
		most = recorded_bytes < UINT64_MAX / SIZE_RATIO ? recorded_bytes * SIZE_RATIO
								: UINT64_MAX;
	if (settings_integer(settings, SET_FINISH_SIZE) == 0 && most < SIZE_LEAST)
		most = SIZE_LEAST;
	limit(RLIMIT_FSIZE, most);
	while (write(timeout_pipe, &wait_s, sizeof(wait_s)) < 0 && errno == EINTR)
		continue;
}

bool finish_is_in_background(void)
{
	return timeout_pipe >= 0 && getppid() != waiting;
}

/* A reader of the program's pipes waits until all writers have closed them, which includes a worker
 * in the background: it has no such pipe, but memory files that its parent copies. */
static void bounds_close_files(const int texts[2])
{
	DIR *open_files = opendir("/proc/self/fd");
	const struct dirent *entry;
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (none >= 0)
		dup2(none, STDIN_FILENO);
	for (int i = 0; i < 2; i++)
		if (texts[i] >= 0)
			dup2(texts[i], STDOUT_FILENO + i);
	while (open_files && (entry = readdir(open_files))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && fd != timeout_pipe && fd != dirfd(open_files))
			close(fd);
	}
	if (open_files)
		closedir(open_files);
}

static void bounds_run_worker(finish_work_fn work, void *context, const int texts[2])
{
	int status;

	bounds_close_files(texts);
	limit(RLIMIT_CPU, CPU_MOST_S);
	signal(SIGALRM, SIG_DFL);
	alarm(TIME_MOST_S);
	status = command_warn_holes(work(context));
	fflush(stdout);
	fflush(stderr);
	_exit(status);
}

static double now_s(void)
{
	struct timespec now;

	systemclock_read(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* For output to a pipe or a socket; -1 = it is written directly. */
static int text_for(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
		return -1;
	return memfd_create("kymo-finish", MFD_CLOEXEC);
}

static void pass_on(int text, int fd)
{
	char block[4096];
	ssize_t got, put = 0;

	for (off_t at = 0; (got = pread(text, block, sizeof(block), at)) > 0; at += put) {
		put = write(fd, block, (size_t)got);
		/* Programs set their pipes to non-blocking, and leave them so. */
		if (put < 0 && errno == EAGAIN)
			poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
		else if (put < 0 && errno != EINTR)
			return;
		put = put < 0 ? 0 : put;
	}
}

/* Until the run's settings are read, which itself may take long. */
static double first_wait_s(void)
{
	const char *text = getenv("KYMO_FINISH_WAIT");
	const char *given = text && *text ? text : setting_table[SET_FINISH_WAIT].default_text;

	return strtod(given, NULL);
}

/* Milliseconds for poll(), which may wake too early. */
static int bounds_rest_ms(double begin_s, double wait_s)
{
	double rest = (begin_s + wait_s - now_s()) * 1e3;

	if (wait_s == WAIT_FOR_EVER)
		return -1;
	return rest <= 0 ? 0 : rest < 1e6 ? (int)rest + 1 : 1000000;
}

/* True when it ended in time. */
static bool wait_for_end(int timeouts)
{
	double begin_s = now_s(), wait_s = first_wait_s(), received_s;
	struct pollfd pipe = {.fd = timeouts, .events = POLLIN};

	for (;;) {
		int left = bounds_rest_ms(begin_s, wait_s), ready = poll(&pipe, 1, left);
		ssize_t got = ready > 0 ? read(timeouts, &received_s, sizeof(received_s)) : -1;

		if (got == 0)
			return true;
		if (got == (ssize_t)sizeof(received_s))
			wait_s = received_s;
		else if (ready == 0 && left == 0)
			return false;
	}
}

static int bounds_collect(pid_t worker, const int texts[2], const char *directory)
{
	int status = 0;

	while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < 2; i++)
		if (texts[i] >= 0)
			pass_on(texts[i], STDOUT_FILENO + i);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	plaintext_print(stderr,
			"kymo: writing the outputs ended by signal %d (%s); 'kymo report %s' shows "
			"the recording\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)), directory);
	return 1;
}

int finish_bounded(finish_work_fn work, void *context, const char *directory)
{
	int ends[2], texts[2], status = 0;
	pid_t worker;

	fflush(NULL);
	waiting = getpid();
	if (pipe2(ends, O_CLOEXEC) < 0)
		return work(context);
	for (int i = 0; i < 2; i++)
		texts[i] = text_for(STDOUT_FILENO + i);
	worker = fork();
	if (worker == 0) {
		close(ends[0]);
		timeout_pipe = ends[1];
		bounds_run_worker(work, context, texts);
	}
	close(ends[1]);
	if (worker < 0)
		status = work(context);
	else if (wait_for_end(ends[0]))
		status = bounds_collect(worker, texts, directory);
	else
		plaintext_print(stderr,
				"kymo: the output files take longer than the end of the program "
				"waits for them (KYMO_FINISH_WAIT); they are written in the "
				"background, into '%s'\n",
				directory);
	close(ends[0]);
	for (int i = 0; i < 2; i++)
		if (texts[i] >= 0)
			close(texts[i]);
	return status;
}

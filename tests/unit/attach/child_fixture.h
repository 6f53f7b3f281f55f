/* What the tests that look at another process share: a child that waits in read() for a byte. */
#ifndef KYMO_CHILD_FIXTURE_H
#define KYMO_CHILD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct child {
	pid_t pid;
	int told[2], says[2]; /* a byte ends it; a byte when it is ready */
};

static inline void child_wait(const struct child *child)
{
	char byte;

	if (write(child->says[1], "r", 1) != 1 || read(child->told[0], &byte, 1) != 1)
		_exit(1);
}

/* Ready is said just before read(), in which it sleeps. */
static inline bool child_sleeps(const struct child *child)
{
	char path[64], text[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child->pid);
	file = fopen(path, "r");
	assert_non_null(file);
	(void)!fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

/* begin: what it does first; NULL = nothing. */
static inline void child_start(struct child *child, void (*begin)(void))
{
	char byte;

	assert_int_equal(pipe(child->told), 0);
	assert_int_equal(pipe(child->says), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (child->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (begin)
			begin();
		child_wait(child);
		_exit(0);
	}
	assert_int_equal(read(child->says[0], &byte, 1), 1);
	while (!child_sleeps(child))
		sched_yield();
}

/* Its status, as of waitpid(). */
static inline int child_end(struct child *child)
{
	int status;

	assert_int_equal(write(child->told[1], "e", 1), 1);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	for (int i = 0; i < 2; i++) {
		close(child->told[i]);
		close(child->says[i]);
	}
	return status;
}

#endif

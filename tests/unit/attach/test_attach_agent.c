/* A thread made in another process: it calls functions there, and the process does not
 * notice, wherever its threads are when one of them is borrowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/agent/agent.h"

#define ROUNDS	 50
#define PATIENCE UINT64_C(20000000000)
#define THREADS	 4
#define RIGHT	 42 /* status of a child that found everything as it should be */

struct child {
	pid_t pid;
	int told[2], says[2]; /* a byte ends it; a byte when it is ready */
};

static volatile bool must_end;
static char block[512];

static void fail_child(const char *what)
{
	(void)!write(STDERR_FILENO, what, strlen(what));
	_exit(1);
}

static void ready(const struct child *child)
{
	if (write(child->says[1], "r", 1) != 1)
		_exit(1);
}

/* One thread, in read(): it must come back with the byte and nothing else. */
static void read_one(const struct child *child)
{
	char byte = 0;

	ready(child);
	if (read(child->told[0], &byte, 1) != 1 || byte != 'e')
		fail_child("read() did not end well\n");
}

/* A call that every stop by a tracer ends with EINTR. */
static void wait_by_epoll(const struct child *child)
{
	struct epoll_event event = {.events = EPOLLIN};
	int set = epoll_create1(0);

	epoll_ctl(set, EPOLL_CTL_ADD, child->told[0], &event);
	ready(child);
	if (epoll_wait(set, &event, 1, -1) != 1)
		fail_child("epoll_wait() was interrupted\n");
}

static void *allocate(void *unused)
{
	void *kept[64] = {NULL};

	for (unsigned i = 0; !must_end; i++) {
		free(kept[i % 64]);
		kept[i % 64] = malloc(17 + i * 7919 % 5000);
		memset(kept[i % 64], 7, 17);
	}
	for (int i = 0; i < 64; i++)
		free(kept[i]);
	return unused;
}

static void wait_for_end(const struct child *child)
{
	char byte;

	if (read(child->told[0], &byte, 1) != 1)
		fail_child("read() did not end well\n");
	must_end = true;
}

static void allocate_in_threads(const struct child *child)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, allocate, NULL);
	ready(child);
	wait_for_end(child);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void end_now(int signal)
{
	(void)signal;
	must_end = true;
}

/* One thread that does nothing but allocate: until now nothing of it locks. */
static void allocate_alone(const struct child *child)
{
	signal(SIGUSR1, end_now);
	ready(child);
	allocate(NULL);
	(void)child;
}

static volatile unsigned ticks, sums;

static void tick(int signal)
{
	(void)signal;
	ticks++;
}

/* Signals all the time, and each of them must arrive in a thread of the program. */
static void take_signals(const struct child *child)
{
	const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};

	signal(SIGUSR1, end_now);
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &often, NULL);
	ready(child);
	while (!must_end)
		sums = sums * 31 + ticks;
	setitimer(ITIMER_REAL, &never, NULL);
	if (ticks < 10)
		fail_child("signals were lost\n");
}

static struct child start(void (*work)(const struct child *))
{
	struct child child;
	char byte;

	assert_int_equal(pipe(child.told), 0);
	assert_int_equal(pipe(child.says), 0);
	child.pid = fork();
	if (child.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, SIG_IGN);
		work(&child);
		_exit(RIGHT);
	}
	assert_int_equal(read(child.says[0], &byte, 1), 1);
	return child;
}

static void end(struct child *child)
{
	int status;

	kill(child->pid, SIGUSR1);
	(void)!write(child->told[1], "e", 1);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), RIGHT);
	for (int i = 0; i < 2; i++) {
		close(child->told[i]);
		close(child->says[i]);
	}
}

static void check(enum kymo_status status, const struct problem *problem)
{
	if (status < 0)
		fail_msg("%s", problem->text);
}

static size_t threads_of(pid_t pid)
{
	char line[256], path[64];
	unsigned count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Threads: %u", &count) == 1)
			break;
	fclose(file);
	return count;
}

/* The child's image is this process's: so are the addresses of its functions. */
static void visit(pid_t pid)
{
	const uint64_t arguments[4] = {(uintptr_t)block, 'k', sizeof(block), 0};
	struct target target;
	struct remote remote;
	struct problem problem;
	struct agent agent;
	int64_t result = 0;
	char there[sizeof(block)];

	check(target_open(pid, &target, &problem), &problem);
	remote_init(&remote, pid);
	check(agent_begin(&agent, &target, &remote, &problem), &problem);
	check(agent_call(&agent, (uintptr_t)memset, arguments, PATIENCE, &result, &problem),
	      &problem);
	assert_int_equal(result, (uintptr_t)block);
	check(agent_call(&agent, (uintptr_t)malloc, (const uint64_t[4]){100000}, PATIENCE, &result,
			 &problem),
	      &problem);
	assert_int_not_equal(result, 0);
	check(agent_call(&agent, (uintptr_t)free, (const uint64_t[4]){(uint64_t)result}, PATIENCE,
			 &result, &problem),
	      &problem);
	assert_true(remote_read(&remote, (uintptr_t)block, there, sizeof(there)));
	for (size_t i = 0; i < sizeof(there); i++)
		assert_int_equal(there[i], 'k');
	agent_end(&agent);
	remote_release(&remote);
	target_close(&target);
}

static void visit_often(void (*work)(const struct child *))
{
	struct child child = start(work);
	size_t before = threads_of(child.pid);

	for (int i = 0; i < ROUNDS; i++)
		visit(child.pid);
	while (threads_of(child.pid) > before)
		usleep(1000);
	end(&child);
}

static void test_in_a_call(void **state)
{
	(void)state;
	visit_often(read_one);
}

static void test_in_a_call_that_stops_end(void **state)
{
	(void)state;
	visit_often(wait_by_epoll);
}

static void test_threads_that_allocate(void **state)
{
	(void)state;
	visit_often(allocate_in_threads);
}

static void test_one_thread_that_allocates(void **state)
{
	(void)state;
	visit_often(allocate_alone);
}

static void test_signals_arrive(void **state)
{
	(void)state;
	visit_often(take_signals);
}

static void test_a_library_is_loaded(void **state)
{
	struct child child = start(read_one);
	struct target target;
	struct remote remote;
	struct problem problem;
	struct agent agent;
	char path[4096];
	uint64_t handle, address;

	(void)state;
	snprintf(path, sizeof(path), "%s/lib/libkymo.so", getenv("KYMO_BUILD"));
	check(target_open(child.pid, &target, &problem), &problem);
	remote_init(&remote, child.pid);
	check(agent_begin(&agent, &target, &remote, &problem), &problem);
	check(agent_load(&agent, path, &handle, &problem), &problem);
	check(agent_symbol(&agent, handle, "kymo_runtime_open", &address, &problem), &problem);
	assert_int_equal(agent_symbol(&agent, handle, "no_such_name", &address, &problem),
			 KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "no_such_name"));
	assert_int_equal(agent_load(&agent, "/nowhere/x.so", &handle, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "/nowhere/x.so"));
	agent_end(&agent);
	remote_release(&remote);
	target_close(&target);
	end(&child);
}

static void test_one_that_has_ended(void **state)
{
	struct child child = start(read_one);
	struct target target;
	struct remote remote;
	struct problem problem;
	struct agent agent;
	int64_t result;

	(void)state;
	check(target_open(child.pid, &target, &problem), &problem);
	remote_init(&remote, child.pid);
	check(agent_begin(&agent, &target, &remote, &problem), &problem);
	kill(child.pid, SIGKILL);
	while (target_is_alive(&target))
		usleep(1000);
	assert_int_equal(agent_call(&agent, (uintptr_t)getpid, (const uint64_t[4]){0}, PATIENCE,
				    &result, &problem),
			 KYMO_ERROR);
	assert_non_null(strstr(problem.text, "has ended"));
	agent_end(&agent);
	assert_true(agent_begin(&agent, &target, &remote, &problem) < 0);
	remote_release(&remote);
	target_close(&target);
	waitpid(child.pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_a_call),
		cmocka_unit_test(test_in_a_call_that_stops_end),
		cmocka_unit_test(test_threads_that_allocate),
		cmocka_unit_test(test_one_thread_that_allocates),
		cmocka_unit_test(test_signals_arrive),
		cmocka_unit_test(test_a_library_is_loaded),
		cmocka_unit_test(test_one_that_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

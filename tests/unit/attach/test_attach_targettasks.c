/* Threads of a process: the list, where one waits, and what has not changed. */
#include "attach/target/targettasks.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>

#include "child_fixture.h"
#include "format/descriptor_kind.h"
#include "format/format.h"

static pthread_barrier_t all_are_there;

static void *wait_here(void *unused)
{
	pthread_barrier_wait(&all_are_there);
	for (;;)
		pause();
	return unused;
}

static void have_threads(void)
{
	pthread_t thread;

	pthread_barrier_init(&all_are_there, NULL, 3);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, wait_here, NULL) != 0)
			_exit(1);
	pthread_barrier_wait(&all_are_there);
}

static void test_list(void **state)
{
	struct targettasks tasks;
	struct child child;

	(void)state;
	child_start(&child, have_threads);
	assert_true(targettasks_open(&tasks, child.pid, false));
	assert_true(targettasks_changed(&tasks));
	assert_true(targettasks_list(&tasks));
	assert_false(targettasks_changed(&tasks));
	assert_int_equal(tasks.count, 3);
	assert_int_equal(targettasks_find(&tasks, child.pid), child.pid);
	assert_int_equal(targettasks_find_id(&tasks, tasks.tasks[2].id), tasks.tasks[2].id);
	assert_int_equal(targettasks_find_id(&tasks, getpid()), 0);
	assert_int_equal(targettasks_find(&tasks, getpid()), 0);
	child_end(&child);
	assert_true(targettasks_changed(&tasks));
	assert_false(targettasks_list(&tasks));
	targettasks_close(&tasks);
	assert_false(targettasks_open(&tasks, child.pid, false));
}

/* By the kernel's file of namespaces, which says the same where there is one. */
static void test_ids_of_the_process(void **state)
{
	struct targettasks tasks;

	(void)state;
	assert_true(targettasks_open(&tasks, getpid(), true));
	assert_true(targettasks_list(&tasks));
	assert_int_equal(targettasks_find(&tasks, (pid_t)syscall(SYS_gettid)), getpid());
	targettasks_close(&tasks);
}

static void wait_until_asleep(struct targettask *task)
{
	while (targettask_read(task) == TARGETTASK_CHANGED && !task->last.is_asleep)
		usleep(1000);
}

static void test_one_that_waits(void **state)
{
	struct targettask task;
	struct child child;
	char name[32];

	(void)state;
	child_start(&child, NULL);
	assert_true(targettask_open(&task, child.pid, child.pid));
	wait_until_asleep(&task);
	assert_int_equal(task.last.call, SYS_read);
	assert_int_equal(task.last.argument, child.told[0]);
	assert_true(task.last.sp != 0 && task.last.pc != 0);
	assert_false(targettask_is_delicate(&task));
	assert_int_equal(
		targettask_frame(&task),
		kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)SYS_read << 48 |
						      (uint64_t)KYMO_DESCRIPTOR_PIPE << 32 |
						      (uint64_t)child.told[0]));
	if (task.has_slices)
		assert_int_equal(targettask_read(&task), TARGETTASK_SAME);
	targettask_name(child.pid, child.pid, name, sizeof(name));
	assert_string_equal(name, "test_attach_tar");
	child_end(&child);
	assert_int_equal(targettask_read(&task), TARGETTASK_ENDED);
	targettask_close(&task);
	assert_false(targettask_open(&task, child.pid, child.pid));
	targettask_name(child.pid, child.pid, name, sizeof(name));
	assert_string_equal(name, "");
}

static void test_one_that_runs(void **state)
{
	struct targettask task;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (volatile unsigned i = 0;; i++)
			;
	}
	assert_true(targettask_open(&task, child, child));
	do /* until it has begun */
		assert_int_equal(targettask_read(&task), TARGETTASK_CHANGED);
	while (task.last.is_asleep);
	assert_int_equal(task.last.call, TARGETTASK_NO_CALL);
	assert_int_equal(task.last.argument, 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(targettask_read(&task), TARGETTASK_ENDED);
	targettask_close(&task);
}

/* Frames of calls without a descriptor. */
static void test_frames_and_delicate_calls(void **state)
{
	struct targettask task = {.pid = getpid(), .last = {.is_asleep = true}};

	(void)state;
	task.last.call = SYS_futex;
	task.last.argument = UINT64_C(0xabcd000012345678);
	assert_int_equal(kymo_frame_content(targettask_frame(&task)),
			 (uint64_t)SYS_futex << 48 | UINT64_C(0x000012345678));
	task.last.call = SYS_nanosleep;
	assert_int_equal(kymo_frame_content(targettask_frame(&task)),
			 (uint64_t)SYS_nanosleep << 48);
	assert_false(targettask_is_delicate(&task));
	task.last.call = SYS_epoll_pwait;
	assert_true(targettask_is_delicate(&task));
	task.last.is_asleep = false;
	assert_false(targettask_is_delicate(&task));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_ids_of_the_process),
		cmocka_unit_test(test_one_that_waits),
		cmocka_unit_test(test_one_that_runs),
		cmocka_unit_test(test_frames_and_delicate_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

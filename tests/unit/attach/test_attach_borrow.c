/* A stopped thread of another process that makes a system call, and does not notice. */
#include "attach/agent/borrow.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "child_fixture.h"

/* A system call in the program, which the child has at the same address. */
static uint64_t own_syscall_insn(void)
{
	static const unsigned char *code = (const unsigned char *)(uintptr_t)syscall;
	const size_t found = borrow_find_syscall(code, 128);

	return found < 128 ? (uintptr_t)code + found : 0;
}

static void test_finding_a_system_call(void **state)
{
#if defined(__x86_64__)
	static const unsigned char code[] = {0x90, 0x0f, 0x0f, 0x05, 0x0f, 0x05};
	static const unsigned char none[] = {0x05, 0x0f, 0x90, 0x0f};

	assert_int_equal(borrow_find_syscall(code, sizeof(code)), 2);
	assert_int_equal(borrow_find_syscall(code, 3), 3);
	assert_int_equal(borrow_find_syscall(none, sizeof(none)), sizeof(none));
	assert_int_equal(borrow_find_syscall(none, 0), 0);
#endif
	(void)state;
}

static void seize(pid_t pid)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, __WALL), pid);
	assert_true(WIFSTOPPED(status));
}

static void test_calls(void **state)
{
	struct borrow_call call = {.number = SYS_getpid};
	struct borrowed borrowed;
	struct child child;
	uint64_t syscall_insn = own_syscall_insn();
	int64_t result;

	(void)state;
	if (!syscall_insn)
		skip();
	child_start(&child, NULL);
	seize(child.pid);
	assert_true(borrow_begin(&borrowed, child.pid, syscall_insn));
	assert_int_equal(borrow_system_call(&borrowed), SYS_read);
	assert_true(borrow_pc(&borrowed) != 0 && borrow_thread_pointer(&borrowed) != 0);
	assert_true(borrow_call(&borrowed, &call, &result));
	assert_int_equal(result, child.pid);
	call = (struct borrow_call){.number = SYS_close, .arguments = {9999}};
	assert_true(borrow_call(&borrowed, &call, &result));
	assert_int_equal(result, -EBADF);
	assert_true(borrow_end(&borrowed));
	assert_int_equal(borrowed.signal, 0);
	assert_int_equal(ptrace(PTRACE_DETACH, child.pid, NULL, NULL), 0);
	assert_int_equal(child_end(&child), 0); /* its read() came back with the byte */
}

static void test_thread_that_is_gone(void **state)
{
	const struct borrow_call call = {.number = SYS_getpid};
	struct borrowed borrowed;
	struct child child;
	int64_t result = 7;

	(void)state;
	if (!own_syscall_insn())
		skip();
	child_start(&child, NULL);
	assert_false(
		borrow_begin(&borrowed, child.pid, own_syscall_insn())); /* it is not stopped */
	seize(child.pid);
	assert_true(borrow_begin(&borrowed, child.pid, own_syscall_insn()));
	kill(child.pid, SIGKILL);
	assert_false(borrow_call(&borrowed, &call, &result));
	assert_int_equal(result, 7);
	for (int i = 0; i < 2; i++) {
		close(child.told[i]);
		close(child.says[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finding_a_system_call),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_thread_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

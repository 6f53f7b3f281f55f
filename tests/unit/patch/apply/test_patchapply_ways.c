/* The ways in which text is written, and what none of them does. */
#include "patch/apply/patchapply.h"

#include "patch/apply/patchapply_lift.h"
#include "patch/apply/patchapply_write.h"
#include "patchapply_fixture.h"

#define LOAD(what)	  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define ANSWER(what)	  BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_IF(what, by) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, what, by, 0)
#define W_AND_X		  (PROT_WRITE | PROT_EXEC)

enum refused { REFUSE_BOTH = 1, REFUSE_FILE = 2, REFUSE_PROTECTION = 4 };

/* Making text writable and executable at once kills; writing to files and changing protections
 * are refused where asked for. */
static void refuse(unsigned what)
{
	const unsigned file = what & REFUSE_FILE ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
	const unsigned plain =
		what & REFUSE_PROTECTION ? SECCOMP_RET_ERRNO | EACCES : SECCOMP_RET_ALLOW;
	struct sock_filter code[] = {
		LOAD(nr),
		SKIP_IF(SYS_pwrite64, 8), /* to file */
		SKIP_IF(SYS_mmap, 1),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 5),
		LOAD(args[2]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, W_AND_X),
		SKIP_IF(W_AND_X, 4), /* to the end of it */
		LOAD(nr),
		SKIP_IF(SYS_mprotect, 3), /* to plain */
		ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(file),
		ANSWER(SECCOMP_RET_KILL_PROCESS),
		ANSWER(plain),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		_exit(100);
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(__LINE__ % 90 + 1);                                                  \
	} while (0)

/* All that changes text, with the program stopped or not. */
static void change_all(struct made *made, bool is_alone)
{
	uint64_t count, left;

	CHECK(patchapply_write(&made->applied, NULL, is_alone, &count) == 0 && count == FUNCTIONS);
	CHECK(call(made, 0) == 7 && call(made, 1) == 7);
	patchapply_pin(&made->applied);
	CHECK(patchapply_lift(&made->applied) == 0);
	CHECK(call(made, 0) == 40 && call(made, 1) == 41);
	CHECK(patchapply_put_back(&made->applied, &left) == 0 && left == 0);
	CHECK(call(made, 0) == 7 && call(made, 1) == 7);
	CHECK(patchapply_unwrite(&made->applied) == 0);
	CHECK(call(made, 0) == 40 && call(made, 1) == 41);
	CHECK(protection_of(made->text) == (PROT_READ | PROT_EXEC));
}

static void change_nothing(struct made *made, bool is_alone)
{
	uint64_t count = 0;

	CHECK(patchapply_write(&made->applied, NULL, is_alone, &count) != 0 && count == 0);
	CHECK(call(made, 0) == 40 && call(made, 1) == 41);
	CHECK(!made->is_written[0] && !made->is_written[1]);
	CHECK(protection_of(made->text) == (PROT_READ | PROT_EXEC));
}

/* In a process of its own: filters stay, and what was learnt of the ways does. */
static void below(unsigned refused, void (*change)(struct made *made, bool is_alone))
{
	for (int is_alone = 0; is_alone < 2; is_alone++) {
		struct made *made = make(0);
		int status = 0;
		pid_t child;

		assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			refuse(refused);
			change(made, is_alone);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		drop(made);
	}
}

static void test_text_is_never_writable_and_executable(void **unused)
{
	(void)unused;
	below(REFUSE_BOTH, change_all);
}

static void test_each_way_stands_in_for_the_other(void **unused)
{
	(void)unused;
	below(REFUSE_BOTH | REFUSE_FILE, change_all);
	below(REFUSE_BOTH | REFUSE_PROTECTION, change_all);
}

static void test_without_a_way_nothing_is_written(void **unused)
{
	(void)unused;
	below(REFUSE_BOTH | REFUSE_FILE | REFUSE_PROTECTION, change_nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* Before this process has learnt which ways there are. */ cmocka_unit_test(
			test_text_is_never_writable_and_executable),
		cmocka_unit_test(test_each_way_stands_in_for_the_other),
		cmocka_unit_test(test_without_a_way_nothing_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

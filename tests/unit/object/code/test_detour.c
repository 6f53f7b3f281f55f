/* Functions that are taken over, as compilers begin them. */
#include "object/code/detour.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "object/code/detourcode.h"
#include "object/unwind/cfi.h"
#include "object/unwind/thunk.h"

#define PAGE 4096u

typedef long (*sum_fn)(long, long);

/* All return their two arguments' sum. */
static const unsigned char pushes[] = {
	0x41, 0x57,		/* push r15 */
	0x55,			/* push rbp */
	0x48, 0x83, 0xec, 0x18, /* sub rsp, 24 */
	0x48, 0x8d, 0x04, 0x37, /* lea rax, [rdi + rsi] */
	0x48, 0x83, 0xc4, 0x18, /* add rsp, 24 */
	0x5d, 0x41, 0x5f, 0xc3, /* pop rbp; pop r15; ret */
};
static const unsigned char landing[] = {
	0xf3, 0x0f, 0x1e, 0xfa,	      /* endbr64 */
	0x48, 0x89, 0x7c, 0x24, 0xf8, /* mov [rsp - 8], rdi */
	0x48, 0x89, 0xf0,	      /* mov rax, rsi */
	0x48, 0x03, 0x44, 0x24, 0xf8, /* add rax, [rsp - 8] */
	0xc3,
};
/* A comparison, whose flags are asked for behind it. */
static const unsigned char compares[] = {
	0x48, 0x81, 0xff, 0x00, 0x01, 0x00, 0x00, /* cmp rdi, 256 */
	0x74, 0x05,				  /* je +5 */
	0x48, 0x8d, 0x04, 0x37, 0xc3,		  /* lea rax, [rdi + rsi]; ret */
	0x31, 0xc0, 0xc3,			  /* xor eax, eax; ret */
};
/* What cannot be taken over. */
static const unsigned char relative[] = {0x48, 0x8b, 0x05, 0x10,
					 0,    0,    0,	   0xc3}; /* mov rax, [rip] */
static const unsigned char calls[] = {0x55, 0xe8, 0, 0, 0, 0, 0x5d, 0xc3};
static const unsigned char loops[] = {
	0x48, 0x89, 0xf8, /* mov rax, rdi */
	0x48, 0xff, 0xc8, /* here: dec rax */
	0x75, 0xfb,	  /* jne here */
	0xc3,
};
static const unsigned char loops_known[] = {
	0x48, 0x89, 0xf8, /* mov rax, rdi */
	0x48, 0x01, 0xf0, /* here: add rax, rsi */
	0x7e, 0xfb,	  /* jle here */
	0xc3,
};
static const unsigned char brief[] = {0x89, 0xf8, 0xc3};

static unsigned char *text_of(const unsigned char *bytes, size_t size)
{
	unsigned char *text =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(text != MAP_FAILED);
	memset(text, 0xcc, PAGE);
	memcpy(text, bytes, size);
	assert_int_equal(mprotect(text, PAGE, PROT_READ | PROT_EXEC), 0);
	return text;
}

static const struct detour *asked;
static int call_count;

static long other(long a, long b)
{
	call_count++;
	return 1000 * ((sum_fn)(uintptr_t)asked->original)(a, b);
}

static long another(long a, long b)
{
	return a * b;
}

static const void *address_of(sum_fn function)
{
	return (const void *)(uintptr_t)function;
}

static bool is_known_processor(void)
{
	struct detourcode code;

	return detourcode_read(pushes, sizeof(pushes), &code) == NULL;
}

static void take_over(const unsigned char *bytes, size_t size)
{
	unsigned char *text = text_of(bytes, size);
	sum_fn function = (sum_fn)(uintptr_t)text;
	struct detour detour = {0};

	asked = &detour;
	call_count = 0;
	assert_null(detour_prepare(&detour, text, size));
	assert_memory_equal(text, bytes, size);
	assert_int_equal(detour_take_back(&detour), 0);
	assert_int_equal(detour_write(&detour, address_of(other)), 0);
	assert_int_equal(function(4, 3), 7000);
	assert_int_equal(function(-4, 3), -1000);
	assert_int_equal(call_count, 2);
	assert_int_equal(detour_write(&detour, address_of(other)), 0);
	assert_int_equal(detour_write(&detour, address_of(another)), EBUSY);
	assert_int_equal(detour_take_back(&detour), 0);
	assert_memory_equal(text, bytes, size);
	assert_int_equal(function(4, 3), 7);
	assert_int_equal(((sum_fn)(uintptr_t)detour.original)(4, 3), 7);
	assert_int_equal(detour_write(&detour, address_of(another)), 0);
	assert_int_equal(function(4, 3), 12);
	assert_int_equal(detour_take_back(&detour), 0);
	assert_memory_equal(text, bytes, size);
	munmap(text, PAGE);
}

static void test_calls_go_to_another_function_and_back(void **unused)
{
	(void)unused;
	if (!is_known_processor())
		skip();
	take_over(pushes, sizeof(pushes));
	take_over(landing, sizeof(landing));
	take_over(compares, sizeof(compares));
}

static void refuse(const unsigned char *bytes, size_t size)
{
	unsigned char *text = text_of(bytes, size);
	struct detour detour = {0};

	assert_non_null(detour_prepare(&detour, text, size));
	assert_null(detour.entry);
	assert_memory_equal(text, bytes, size);
	munmap(text, PAGE);
}

static void test_what_would_do_something_else_is_left(void **unused)
{
	(void)unused;
	refuse(relative, sizeof(relative));
	refuse(calls, sizeof(calls));
	refuse(loops, sizeof(loops));
	refuse(loops_known, sizeof(loops_known));
	refuse(brief, sizeof(brief));
	refuse(landing, 4);
}

/* Text that is writable, or shared, is not a program's code. */
static void test_what_is_no_text_is_left(void **unused)
{
	unsigned char bytes[sizeof(pushes)];
	struct detour detour = {0};

	(void)unused;
	memcpy(bytes, pushes, sizeof(bytes));
	assert_non_null(detour_prepare(&detour, bytes, sizeof(bytes)));
}

/* Breakpoints, and whoever else takes functions over. */
static void test_what_others_wrote_stays(void **unused)
{
	unsigned char *text = text_of(pushes, sizeof(pushes));
	struct detour detour = {0};

	(void)unused;
	if (!is_known_processor())
		skip();
	assert_null(detour_prepare(&detour, text, sizeof(pushes)));
	mprotect(text, PAGE, PROT_READ | PROT_WRITE);
	text[0] = 0xcc;
	mprotect(text, PAGE, PROT_READ | PROT_EXEC);
	assert_int_equal(detour_write(&detour, address_of(other)), EBUSY);
	assert_int_equal(text[0], 0xcc);
	mprotect(text, PAGE, PROT_READ | PROT_WRITE);
	text[0] = pushes[0];
	mprotect(text, PAGE, PROT_READ | PROT_EXEC);
	assert_int_equal(detour_write(&detour, address_of(other)), 0);
	mprotect(text, PAGE, PROT_READ | PROT_WRITE);
	text[0] = 0xcc;
	mprotect(text, PAGE, PROT_READ | PROT_EXEC);
	assert_int_equal(detour_take_back(&detour), EBUSY);
	assert_true(detour.is_written);
	munmap(text, PAGE);
}

/* A sample may be taken in the page: the caller of what jumps there is the function's. */
static void test_stacks_are_walked_through_the_page(void **unused)
{
	unsigned char *text = text_of(pushes, sizeof(pushes));
	struct detour detour = {0};
	struct cfi_row row;

	(void)unused;
	if (!is_known_processor())
		skip();
	assert_null(detour_prepare(&detour, text, sizeof(pushes)));
	assert_int_equal(detour_write(&detour, address_of(other)), 0);
	assert_true(unwind_row_by_thunk((const uint8_t *)(uintptr_t)detour.page, PAGE, &row));
	assert_int_equal(row.cfa_offset, 8);
	assert_int_equal(row.return_offset, -8);
	assert_int_equal(detour_take_back(&detour), 0);
	munmap(text, PAGE);
}

#define LOAD(what)	  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define ANSWER(what)	  BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_IF(what, by) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, what, by, 0)

static void refuse_calls(int number)
{
	struct sock_filter code[] = {
		LOAD(nr),
		SKIP_IF((unsigned)number, 1),
		ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		_exit(100);
}

/* In a process of its own, as filters stay: whether it is taken over below the filter. */
static bool is_taken_over_below(const int *refused, unsigned count)
{
	unsigned char *text = text_of(pushes, sizeof(pushes));
	struct detour detour = {0};
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		int result;

		asked = &detour;
		for (unsigned i = 0; i < count; i++)
			refuse_calls(refused[i]);
		if (detour_prepare(&detour, text, sizeof(pushes)))
			_exit(101);
		result = detour_write(&detour, address_of(other));
		if (((sum_fn)(uintptr_t)text)(4, 3) != (result ? 7 : 7000))
			_exit(102);
		if (detour_take_back(&detour) != 0 || memcmp(text, pushes, sizeof(pushes)) != 0)
			_exit(103);
		_exit(result != 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
	munmap(text, PAGE);
	return WEXITSTATUS(status) == 0;
}

static void test_refused_calls_leave_the_text(void **unused)
{
	static const int refused[] = {SYS_pwrite64, SYS_mprotect};

	(void)unused;
	if (!is_known_processor())
		skip();
	assert_true(is_taken_over_below(refused, 1)); /* by its protection */
	assert_false(is_taken_over_below(refused + 1, 1));
	assert_false(is_taken_over_below(refused, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* Before this process has learnt which ways there are. */
		cmocka_unit_test(test_refused_calls_leave_the_text),
		cmocka_unit_test(test_calls_go_to_another_function_and_back),
		cmocka_unit_test(test_what_would_do_something_else_is_left),
		cmocka_unit_test(test_what_is_no_text_is_left),
		cmocka_unit_test(test_what_others_wrote_stays),
		cmocka_unit_test(test_stacks_are_walked_through_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

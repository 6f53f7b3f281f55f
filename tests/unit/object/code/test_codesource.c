/* Where a register's value comes from, by the bytes in front of an instruction. */
#include "object/code/codesource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#ifdef __x86_64__

enum { RAX = 0, RBX = 3, RSP = 4, RDI = 7 };

static struct codesource source_of(const char *text, size_t size, unsigned number, uint32_t kept)
{
	const uint8_t *code = (const uint8_t *)text;

	return codesource_find(code, code + size, 1, number, kept);
}
#define SOURCE(text, number, kept) source_of(text, sizeof(text) - 1, number, kept)

static void expect(struct codesource source, enum codesource_kind kind, unsigned number,
		   int32_t value)
{
	assert_int_equal(source.kind, kind);
	assert_int_equal(source.number, number);
	assert_int_equal(source.value, value);
}

static void test_constants(void **state)
{
	(void)state;
	/* mov $57,%eax; nop */
	expect(SOURCE("\xb8\x39\0\0\0\x90", RAX, 0), CODESOURCE_CONSTANT, 0, 57);
	/* mov $-2,%rax */
	expect(SOURCE("\x48\xc7\xc0\xfe\xff\xff\xff", RAX, 0), CODESOURCE_CONSTANT, 0, -2);
	/* push $9; pop %rax */
	expect(SOURCE("\x6a\x09\x58", RAX, 0), CODESOURCE_CONSTANT, 0, 9);
	/* mov $57,%eax; mov %eax,%edi */
	expect(SOURCE("\xb8\x39\0\0\0\x89\xc7", RDI, 0), CODESOURCE_CONSTANT, 0, 57);
}

static void test_what_the_function_was_called_with(void **state)
{
	(void)state;
	/* mov %rdi,%rax: rdi may be something else behind */
	expect(SOURCE("\x48\x89\xf8", RAX, 0), CODESOURCE_ARGUMENT, RDI, 0);
	/* In code that no function begins with it is not known. */
	assert_int_equal(codesource_find((const uint8_t *)"\x48\x89\xf8",
					 (const uint8_t *)"\x48\x89\xf8", 0, RAX, 0)
				 .kind,
			 CODESOURCE_NONE);
}

static void test_register_that_keeps_it(void **state)
{
	(void)state;
	/* mov %rbx,%rax */
	expect(SOURCE("\x90\x48\x89\xd8", RAX, 1u << RBX), CODESOURCE_REGISTER, RBX, 0);
}

static void test_memory_counts_from_what_registers_are_now(void **state)
{
	(void)state;
	/* mov 8(%rsp),%rax */
	expect(SOURCE("\x48\x8b\x44\x24\x08", RAX, 0), CODESOURCE_MEMORY, RSP, 8);
	/* mov 8(%rsp),%rax; sub $16,%rsp */
	expect(SOURCE("\x48\x8b\x44\x24\x08\x48\x83\xec\x10", RAX, 0), CODESOURCE_MEMORY, RSP, 24);
	/* mov 8(%rbx),%rax: rbx is kept, or not */
	expect(SOURCE("\x48\x8b\x43\x08", RAX, 1u << RBX), CODESOURCE_MEMORY, RBX, 8);
	expect(SOURCE("\x48\x8b\x43\x08", RAX, 0), CODESOURCE_NONE, 0, 0);
	/* mov %fs:8(%rbx),%rax: of no memory that the register tells */
	expect(SOURCE("\x64\x48\x8b\x43\x08", RAX, 1u << RBX), CODESOURCE_NONE, 0, 0);
}

static void test_branches_are_followed_backwards(void **state)
{
	(void)state;
	/* mov $5,%eax; jmp over; ret; over: mov %rdx,%rcx */
	expect(SOURCE("\xb8\x05\0\0\0\xeb\x01\xc3\x48\x89\xd1", RAX, 0), CODESOURCE_CONSTANT, 0, 5);
	/* ret; mov: nothing leads here */
	expect(SOURCE("\xb8\x05\0\0\0\xc3\x48\x89\xd1", RAX, 0), CODESOURCE_NONE, 0, 0);
}

static void test_nothing_in_front_is_no_source(void **state)
{
	(void)state;
	expect(source_of("\x90", 0, RAX, 0), CODESOURCE_NONE, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_what_the_function_was_called_with),
		cmocka_unit_test(test_register_that_keeps_it),
		cmocka_unit_test(test_memory_counts_from_what_registers_are_now),
		cmocka_unit_test(test_branches_are_followed_backwards),
		cmocka_unit_test(test_nothing_in_front_is_no_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* what it asks for is of another processor */
}

#endif

/* Code carried out on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if defined(__x86_64__)
#include "object/code/x86_64/machine.h"

/* All of the bytes, from the beginning. */
static struct machine run(const char *text, size_t size)
{
	const uint8_t *code = (const uint8_t *)text;
	struct instruction what;
	struct machine machine;

	machine_begin(&machine);
	while (size > 0) {
		assert_true(instruction_decode(code, size, &what));
		machine_execute(&machine, &what);
		code += what.length;
		size -= what.length;
	}
	return machine;
}
#define RUN(text) run(text, sizeof(text) - 1)

static void assert_sum(const struct machine *machine, unsigned at, unsigned number, int64_t offset)
{
	assert_int_equal(machine->registers[at].kind, SUM);
	assert_int_equal(machine->registers[at].number, number);
	assert_int_equal(machine->registers[at].offset, offset);
}

static void test_at_the_beginning(void **state)
{
	struct machine machine;

	(void)state;
	machine_begin(&machine);
	for (unsigned number = 0; number < REGISTERS; number++)
		assert_true(machine_keeps(&machine, number));
}

static void test_the_stack_pointer(void **state)
{
	struct machine machine = RUN("\x55\x48\x89\xe5\x48\x83\xec\x20"); /* push, mov, sub */

	(void)state;
	assert_sum(&machine, RSP, RSP, -40);
	assert_sum(&machine, RBP, RSP, -8);
	assert_false(machine_keeps(&machine, RBP));
	assert_true(machine_keeps(&machine, RBX));
}

static void test_what_was_saved_comes_back(void **state)
{
	struct machine machine = RUN("\x55\x53\x31\xdb\x31\xed\x5b\x5d");

	(void)state;
	assert_true(machine_keeps(&machine, RBX));
	assert_true(machine_keeps(&machine, RBP));
	assert_true(machine_keeps(&machine, RSP));
	machine = RUN("\x55\x53\x5d\x5b"); /* in the wrong order */
	assert_sum(&machine, RBP, RBX, 0);
	assert_sum(&machine, RBX, RBP, 0);
}

static void test_words_of_the_caller(void **state)
{
	struct machine machine = RUN("\x48\x8b\x5c\x24\x10"); /* mov 16(%rsp), %rbx */

	(void)state;
	assert_int_equal(machine.registers[RBX].kind, LOADED);
	assert_int_equal(machine.registers[RBX].number, RSP);
	assert_int_equal(machine.registers[RBX].offset, 16);
}

static void test_returns(void **state)
{
	struct machine machine = RUN("\x48\x83\xec\x08\x48\x83\xc4\x08\xc3");

	(void)state;
	assert_true(machine.has_returned);
	assert_false(machine.is_stopped);
	machine = RUN("\xc9"); /* leave: from the frame pointer */
	assert_sum(&machine, RSP, RBP, 8);
}

static void test_jumps_are_the_callers(void **state)
{
	struct machine machine = RUN("\xeb\x10");

	(void)state;
	assert_int_equal(machine.jump, 16);
	machine = RUN("\xff\xe0");
	assert_true(machine.is_stopped);
}

static void test_what_is_not_known_is_not_kept(void **state)
{
	struct machine machine = RUN("\x48\x0f\xaf\xdb"); /* imul %rbx, %rbx */

	(void)state;
	assert_false(machine_keeps(&machine, RBX));
	machine = RUN("\x48\x83\xe4\xf0"); /* and $-16, %rsp */
	assert_false(machine_keeps(&machine, RSP));
	machine = RUN("\xbb\x01\x00\x00\x00");
	assert_false(machine_keeps(&machine, RBX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_the_beginning),
		cmocka_unit_test(test_the_stack_pointer),
		cmocka_unit_test(test_what_was_saved_comes_back),
		cmocka_unit_test(test_words_of_the_caller),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_jumps_are_the_callers),
		cmocka_unit_test(test_what_is_not_known_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* no code is read there */
}

#endif

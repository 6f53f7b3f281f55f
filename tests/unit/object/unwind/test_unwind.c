/* Stacks of this process, beside what the C library makes of them. */
#include "unwind_fixture.h"

static noinline int look_below(unsigned depth)
{
	volatile char *room = __builtin_alloca(16 + 40u * (depth & 3u));

	room[0] = (char)depth;
	if (depth == 0)
		look_here();
	else
		look_below(depth - 1);
	return room[0];
}

static int look_once(const void *a, const void *b)
{
	static bool is_done;

	if (!is_done)
		look_here();
	is_done = true;
	return *(const int *)a - *(const int *)b;
}

static void beside_backtrace(void **state)
{
	int values[40];

	(void)state;
	look_here();
	look_below(50);
	for (int i = 0; i < 40; i++)
		values[i] = (i * 17) % 40;
	qsort(values, 40, sizeof(values[0]), look_once);
}

static void no_room(void **state)
{
	struct unwind_registers from;
	struct stack stack;

	(void)state;
	unwind_from_here(&from);
	take(&from, &stack);
	assert_int_equal(stack.end, UNWIND_COMPLETE);
	for (size_t room = 1; room < stack.count; room++) {
		struct unwind_frame frames[DEPTH];
		enum unwind_end end;

		assert_int_equal(unwind_self(&from, &own, frames, room, &end), room);
		assert_int_equal(end, UNWIND_CUT);
		assert_memory_equal(frames, stack.frames, room * sizeof(frames[0]));
	}
}

/* The same stack with nothing known about its bounds, and by way of checked reads. */
static bool read_own(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	return unwind_copy(address, to, size);
}

static bool row_own(void *context, uint64_t pc, struct cfi_row *row_out)
{
	const struct textmap_module *module = textmap_current(pc);

	(void)context;
	return module && cfi_find(&module->section, pc, row_out, NULL, NULL);
}

static void other_ways(void **state)
{
	const struct unwind_space space = {.read = read_own, .row = row_own};
	const struct unwind_stack unknown = {0, 0};
	struct unwind_registers from;
	struct stack stack, again;

	(void)state;
	unwind_from_here(&from);
	take(&from, &stack);
	assert_int_equal(stack.end, UNWIND_COMPLETE);
	again.count = unwind_self(&from, &unknown, again.frames, DEPTH, &again.end);
	assert_int_equal(again.end, UNWIND_COMPLETE);
	assert_int_equal(again.count, stack.count);
	assert_memory_equal(again.frames, stack.frames, stack.count * sizeof(stack.frames[0]));
	again.count = unwind_walk(&space, &from, again.frames, DEPTH, &again.end);
	assert_int_equal(again.end, UNWIND_COMPLETE);
	assert_int_equal(again.count, stack.count);
	assert_memory_equal(again.frames, stack.frames, stack.count * sizeof(stack.frames[0]));
}

#if defined(__x86_64__)

typedef void (*caller_fn)(void (*callee)(void));

static struct stack from_code;

static noinline void look_from_code(void)
{
	struct unwind_registers from;

	unwind_from_here(&from);
	take(&from, &from_code);
}

static caller_fn make_code(const void *bytes, size_t size)
{
	char *code = mmap(NULL, READABLE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	memcpy(code, bytes, size);
	mprotect(code, READABLE_PAGE, PROT_READ | PROT_EXEC);
	return (caller_fn)(void *)code;
}

static void written_by_the_program(void **state)
{
	static const uint8_t with_frame[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
	/* push %rbp; mov $1, %ebp; call *%rdi; pop %rbp; ret */
	static const uint8_t without[] = {0x55, 0xbd, 1, 0, 0, 0, 0xff, 0xd7, 0x5d, 0xc3};
	caller_fn code = make_code(with_frame, sizeof(with_frame));
	struct unwind_registers from;

	(void)state;
	unwind_learn();
	code(look_from_code);
	assert_int_equal(from_code.end, UNWIND_COMPLETE);
	assert_int_equal(from_code.frames[1].address, (uintptr_t)code + 5);
	unwind_from_here(&from);
	take(&from, &seen);
	assert_int_equal(from_code.count, seen.count + 2);
	assert_memory_equal(from_code.frames + 4, seen.frames + 2,
			    (seen.count - 2) * sizeof(seen.frames[0]));
	munmap((void *)(uintptr_t)code, READABLE_PAGE);

	code = make_code(without, sizeof(without));
	unwind_learn();
	code(look_from_code);
	assert_int_equal(from_code.end, UNWIND_LOST);
	assert_int_equal(from_code.count, 2);
	assert_int_equal(from_code.frames[1].address, (uintptr_t)code + 7);
	munmap((void *)(uintptr_t)code, READABLE_PAGE);
}

/* Registers that say anything at all: no fault, and an end that says so. */
static void nonsense(void **state)
{
	const uint64_t text = (uintptr_t)look_here + 8, places[] = {
								0,
								1,
								7,
								text,
								UINT64_MAX,
								UINT64_MAX - 7,
								own.low,
								own.high,
								own.high - 8,
								(uintptr_t)&seen,
								0x7fffffffffff,
								0x800000000000,
								(uintptr_t)&own + 3,
							};
	const size_t count = sizeof(places) / sizeof(places[0]);

	(void)state;
	for (size_t i = 0; i < count * count * count; i++) {
		const struct unwind_registers from = {
			.pc = places[i % count],
			.sp = places[i / count % count],
			.fp = places[i / count / count],
		};

		take(&from, &seen);
		assert_in_range(seen.count, 1, DEPTH);
		assert_int_equal(seen.frames[0].address, from.pc);
	}
}

#endif

static void functions(void **state)
{
	uint64_t start, end, next, unused;

	(void)state;
	assert_true(unwind_function((uintptr_t)look_here + 9, &start, &end));
	assert_int_equal(start, (uintptr_t)look_here);
	assert_true(end > start + 9);
	assert_true(unwind_function(end - 1, &next, &unused));
	assert_int_equal(next, start);
	assert_true(unwind_function((uintptr_t)qsort, &start, &end));
	assert_false(unwind_function((uintptr_t)&own, &start, &end));
	assert_false(unwind_function((uintptr_t)&state, &start, &end));
	assert_false(unwind_function(0, &start, &end));
}

static void copies(void **state)
{
	char *pages = mmap(NULL, 3 * READABLE_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char copy[READABLE_PAGE] = "";

	(void)state;
	munmap(pages + READABLE_PAGE, READABLE_PAGE);
	memset(pages, 'x', READABLE_PAGE);
	errno = 4711;
	assert_true(unwind_copy((uintptr_t)pages, copy, READABLE_PAGE));
	assert_memory_equal(copy, pages, READABLE_PAGE);
	assert_true(unwind_copy((uintptr_t)pages + READABLE_PAGE - 8, copy, 8));
	assert_false(unwind_copy((uintptr_t)pages + READABLE_PAGE - 8, copy, 9));
	assert_false(unwind_copy((uintptr_t)pages + READABLE_PAGE, copy, 1));
	assert_false(unwind_copy(0, copy, 8));
	assert_false(unwind_copy(UINT64_MAX - 3, copy, 8));
	assert_true(unwind_copy(UINT64_MAX, copy, 0));
	assert_true(readable_page((uintptr_t)pages + READABLE_PAGE - 1));
	assert_false(readable_page((uintptr_t)pages + READABLE_PAGE));
	assert_int_equal(errno, 4711);
	munmap(pages, READABLE_PAGE);
	munmap(pages + 2 * READABLE_PAGE, READABLE_PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_backtrace),
		cmocka_unit_test(no_room),
		cmocka_unit_test(other_ways),
#if defined(__x86_64__)
		cmocka_unit_test(written_by_the_program),
		cmocka_unit_test(nonsense),
#endif
		cmocka_unit_test(functions),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}

/* Stacks of this process, beside what the C library makes of them. */
#include "object/unwind/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "object/unwind/textmap.h"
#include "platform/readable.h"

#define DEPTH	   128
#define STACK_SIZE (64 << 10)
#define noinline   __attribute__((noinline))

struct stack {
	struct unwind_frame frames[DEPTH];
	size_t count;
	enum unwind_end end;
};

static struct stack seen;
static struct unwind_stack own;

static struct unwind_stack own_stack(void)
{
	pthread_attr_t attributes;
	size_t size;
	void *low;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	return (struct unwind_stack){(uintptr_t)low, (uintptr_t)low + size};
}

static int prepare(void **state)
{
	(void)state;
	unwind_learn();
	own = own_stack();
	return 0;
}

static void take(const struct unwind_registers *from, struct stack *stack)
{
	int saved = errno;

	errno = 4711;
	stack->count = unwind_self(from, &own, stack->frames, DEPTH, &stack->end);
	assert_int_equal(errno, 4711);
	errno = saved;
}

static void take_context(int signal, siginfo_t *info, void *context)
{
	struct unwind_registers from;

	(void)signal, (void)info;
	unwind_from_context(context, &from);
	take(&from, &seen);
}

/* The frames of both, from the outermost inwards, are the same but for those that stand
 * in between the two calls. */
static void check_beside(const struct stack *stack, void *const *other, size_t other_count,
			 size_t skipped)
{
	assert_int_equal(stack->end, UNWIND_COMPLETE);
	assert_in_range(stack->count, 3, other_count + 1);
	for (size_t i = 1; i + skipped < stack->count; i++)
		assert_int_equal(stack->frames[stack->count - i].address + 1,
				 (uintptr_t)other[other_count - i]);
	for (size_t i = 1; i < stack->count; i++)
		assert_true(stack->frames[i].low > stack->frames[i - 1].low);
}

static noinline void look_here(void)
{
	struct unwind_registers from;
	void *other[DEPTH];
	int count;

	unwind_from_here(&from);
	take(&from, &seen);
	count = backtrace(other, DEPTH);
	check_beside(&seen, other, (size_t)count, 1);
	assert_in_range(count, seen.count, seen.count + 1); /* a sanitizer's own, in between */
}

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

static char alternate[2 * STACK_SIZE];
static struct stack in_handler;
static void *other_in_handler[DEPTH];
static int other_count;

static void inner(int signal, siginfo_t *info, void *context)
{
	take_context(signal, info, context);
}

/* On a stack of its own, and interrupted itself. */
static void outer(int signal, siginfo_t *info, void *context)
{
	struct unwind_registers from;

	(void)signal, (void)info, (void)context;
	unwind_from_here(&from);
	take(&from, &in_handler);
	other_count = backtrace(other_in_handler, DEPTH);
	raise(SIGUSR2);
}

static bool is_in(const struct stack *stack, uint64_t address)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->frames[i].address == address)
			return true;
	return false;
}

static void nested_handlers(void **state)
{
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	struct sigaction action = {.sa_sigaction = outer, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	(void)state;
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	action.sa_sigaction = inner;
	assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
	raise(SIGUSR1);
	assert_int_equal(in_handler.end, UNWIND_COMPLETE);
	assert_in_range(other_count, in_handler.count, in_handler.count + 1);
	/* Behind the handler's return the address is exact: nothing was called. */
	for (size_t i = 1; i < in_handler.count; i++) {
		uint64_t address = in_handler.frames[in_handler.count - i].address,
			 other = (uintptr_t)other_in_handler[(size_t)other_count - i];

		assert_true(address == other || address + 1 == other);
	}
	assert_int_equal(seen.end, UNWIND_COMPLETE);
	assert_true(seen.count > in_handler.count);
	for (size_t i = 1; i < in_handler.count; i++)
		assert_true(is_in(&seen, in_handler.frames[i].address));
}

static ucontext_t outside, inside;
static struct stack in_coroutine;

static noinline void deeper(int depth)
{
	volatile char room[400];
	struct unwind_registers from;

	room[depth] = 1;
	if (depth > 0) {
		deeper(depth - 1);
		room[0]++;
		return;
	}
	unwind_from_here(&from);
	take(&from, &in_coroutine);
}

static void coroutine(void)
{
	deeper(20);
}

static void coroutines(void **state)
{
	char *memory = mmap(NULL, 3 * STACK_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(mprotect(memory + STACK_SIZE, STACK_SIZE, PROT_READ | PROT_WRITE), 0);
	getcontext(&inside);
	inside.uc_stack.ss_sp = memory + STACK_SIZE;
	inside.uc_stack.ss_size = STACK_SIZE;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	assert_in_range(in_coroutine.count, 22, 24);
	assert_int_equal(in_coroutine.end, UNWIND_COMPLETE);
	for (size_t i = 0; i < in_coroutine.count; i++)
		assert_in_range(in_coroutine.frames[i].low, (uintptr_t)memory + STACK_SIZE,
				(uintptr_t)memory + 2 * STACK_SIZE);
	munmap(memory, 3 * STACK_SIZE);
}

static void *thread(void *result)
{
	struct unwind_stack stack = own_stack();
	struct stack *to = result;
	struct unwind_registers from;

	unwind_from_here(&from);
	to->count = unwind_self(&from, &stack, to->frames, DEPTH, &to->end);
	return NULL;
}

static void threads(void **state)
{
	struct stack stack;
	pthread_t made;

	(void)state;
	pthread_create(&made, NULL, thread, &stack);
	pthread_join(made, NULL);
	assert_int_equal(stack.end, UNWIND_COMPLETE);
	assert_in_range(stack.count, 2, 4);
}

static void forked_child(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct unwind_registers from;

		unwind_learn();
		unwind_from_here(&from);
		take(&from, &seen);
		_exit(seen.end == UNWIND_COMPLETE ? 7 : 8);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
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
								(uintptr_t)alternate + 3,
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

static int is_over;

static void *unwind_again_and_again(void *unused)
{
	struct unwind_stack stack = own_stack();
	struct unwind_registers from;
	uintptr_t wrong = 0;

	(void)unused;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		struct stack now;

		unwind_from_here(&from);
		now.count = unwind_self(&from, &stack, now.frames, DEPTH, &now.end);
		wrong += now.end != UNWIND_COMPLETE;
		wrong += !textmap_find((uintptr_t)qsort) || !textmap_is_code((uintptr_t)look_here);
	}
	return (void *)wrong;
}

/* Tables take turns below their readers' hands. */
static void read_while_written(void **state)
{
	pthread_t readers[2];
	char *pages[200];
	void *wrong;

	(void)state;
	for (int i = 0; i < 2; i++)
		pthread_create(&readers[i], NULL, unwind_again_and_again, NULL);
	for (int i = 0; i < 200; i++) {
		/* Another mapping with code, so that the table is a new one each time. */
		pages[i] = mmap(NULL, 2 * READABLE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
		mprotect(pages[i], READABLE_PAGE, PROT_READ | PROT_EXEC);
		unwind_learn();
		assert_true(textmap_is_code((uintptr_t)pages[i]));
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(readers[i], &wrong);
		assert_null(wrong);
	}
	for (int i = 0; i < 200; i++)
		munmap(pages[i], 2 * READABLE_PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_backtrace),
		cmocka_unit_test(no_room),
		cmocka_unit_test(other_ways),
		cmocka_unit_test(nested_handlers),
		cmocka_unit_test(coroutines),
		cmocka_unit_test(threads),
		cmocka_unit_test(forked_child),
#if defined(__x86_64__)
		cmocka_unit_test(written_by_the_program),
		cmocka_unit_test(nonsense),
#endif
		cmocka_unit_test(functions),
		cmocka_unit_test(copies),
		cmocka_unit_test(read_while_written),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}

/* Stacks of handlers, coroutines, other threads and children; and while code is mapped. */
#include "unwind_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_SIZE (64 << 10)

static void take_context(int signal, siginfo_t *info, void *context)
{
	struct unwind_registers from;

	(void)signal, (void)info;
	unwind_from_context(context, &from);
	take(&from, &seen);
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
		cmocka_unit_test(nested_handlers),
		cmocka_unit_test(coroutines),
		cmocka_unit_test(threads),
		cmocka_unit_test(forked_child),
		cmocka_unit_test(read_while_written),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}

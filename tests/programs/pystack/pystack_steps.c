/* A library for tests of merged stacks, loaded by the Python program under test: behind every
 * instruction of it the thread's stack is taken and merged, and compared with the order in which
 * functions whose names are known have called each other. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "pystack/merge/pymerge.h"
#include "pystack/merge/pymerge_between.h"
#include "pystack/merge/pymerge_bounds.h"
#include "pystack/pyruntime_self.h"
#include "pystack/pystack.h"
#include "pystack/walk/pystack_walk.h"

#define EXPORTED   __attribute__((visibility("default")))
#define TRAP_FLAG  0x100
#define FRAMES_MAX 1024
#define CODES_MAX  8
#define FAULTS_MAX 8
#define TEXT_MAX   300

enum outcome { RIGHT, WRONG, DOUBTFUL, LOST, TORN, FOREIGN, OUTCOMES };

struct fault {
	uint64_t pc;
	enum outcome outcome;
	char order[2 * FRAMES_MAX];
};

static struct pyruntime runtime;
static struct pymerge_evaluation evaluation;
static struct unwind_stack own;
static uint64_t codes[CODES_MAX]; /* outermost first */
static size_t code_count;
static uint64_t call_start, call_end;
static bool is_stepping, is_foreign;
static unsigned long counts[OUTCOMES];
static struct fault faults[FAULTS_MAX];
static size_t fault_count;
static struct unwind_frame native[FRAMES_MAX];
static struct pyframe python[FRAMES_MAX];
static struct pymerge_frame merged[2 * FRAMES_MAX];

/* Calls back: the native frame that stands between each two of the functions. */
EXPORTED __attribute__((noinline)) int ps_call(int (*function)(void))
{
	int result = function();

	__asm__ volatile("" : "+r"(result));
	return result;
}

/* The known frames, outermost first: a digit for a code, 'c' for ps_call(). */
static void write_order(size_t count, char *order)
{
	while (count-- > 0) {
		const struct pymerge_frame *frame = &merged[count];
		uint64_t address =
			frame->is_python ? python[frame->index].code : native[frame->index].address;

		if (!frame->is_python && address >= call_start && address < call_end)
			*order++ = 'c';
		for (size_t i = 0; frame->is_python && i < code_count; i++)
			if (address == codes[i])
				*order++ = (char)('0' + i);
	}
	*order = '\0';
}

/* 0c1c2c... as far as it goes. */
static bool is_right(const char *order)
{
	for (size_t i = 0; order[i]; i++)
		if (order[i] != (i % 2 ? 'c' : (char)('0' + i / 2)))
			return false;
	return true;
}

static enum outcome look(const ucontext_t *context, char *order)
{
	const uint64_t thread = pyruntime_this_thread(&runtime);
	struct unwind_registers registers;
	enum unwind_end end;
	struct pymerge_stack stack = {.native = native, .python = python};
	struct pymerge_result result;
	uint64_t words[UNWIND_WORDS_MAX];
	struct pymemory memory = {.words = words};

	*order = '\0';
	unwind_from_context(context, &registers);
	stack.native_count = unwind_self(&registers, &own, native, FRAMES_MAX, &end);
	if (end != UNWIND_COMPLETE)
		return LOST;
	memory.word_count = unwind_words(context, words);
	if (pystack_walk(&runtime, &memory, thread, python, FRAMES_MAX, &stack.python_count) !=
	    PYSTACK_OK)
		return TORN;
	stack.is_between = pymerge_is_between(&runtime, NULL, thread, &evaluation, &stack, python);
	result = pymerge(&stack, &evaluation, merged);
	write_order(result.count, order);
	if (!result.is_certain)
		return DOUBTFUL;
	return is_right(order) ? RIGHT : WRONG;
}

/* Newer libffi calls back through code of no module, which nothing tells how to unwind, and what
 * this jumps to says it wrongly until the stack is as it was. */
static enum outcome judge(uint64_t pc, enum outcome outcome)
{
	uint64_t start, end;

	is_foreign = (is_foreign && outcome != RIGHT) || !unwind_function(pc, &start, &end);
	return is_foreign ? FOREIGN : outcome;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *general = ((ucontext_t *)context)->uc_mcontext.gregs;
	int saved = errno;
	char order[2 * FRAMES_MAX];
	enum outcome outcome;

	(void)signal, (void)info;
	if (!is_stepping) {
		general[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	outcome = judge((uint64_t)general[REG_RIP], look(context, order));
	counts[outcome]++;
	if (outcome != RIGHT && outcome != FOREIGN && fault_count < FAULTS_MAX) {
		faults[fault_count].pc = (uint64_t)general[REG_RIP];
		faults[fault_count].outcome = outcome;
		memcpy(faults[fault_count++].order, order, sizeof(order));
	}
	errno = saved;
}

static void on_begin(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

EXPORTED int ps_steps_prepare(const uint64_t *wanted, size_t count)
{
	static char stack[256 << 10];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	pthread_attr_t attributes;
	size_t size;
	void *low;

	memcpy(codes, wanted, count * sizeof(*codes));
	code_count = count;
	unwind_learn();
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	own = (struct unwind_stack){(uintptr_t)low, (uintptr_t)low + size};
	sigaltstack(&other, NULL);
	sigfillset(&action.sa_mask);
	sigaction(SIGTRAP, &action, NULL);
	action.sa_sigaction = on_begin;
	sigaction(SIGUSR2, &action, NULL);
	return pyruntime_self(&runtime, NULL) && pymerge_bounds(&runtime, &evaluation) &&
	       unwind_function((uint64_t)(uintptr_t)ps_call + 8, &call_start, &call_end);
}

EXPORTED void ps_steps_begin(void)
{
	is_stepping = true;
	raise(SIGUSR2);
}

EXPORTED void ps_steps_end(void)
{
	is_stepping = false;
}

EXPORTED unsigned long ps_steps_count(int outcome)
{
	return counts[outcome];
}

/* One of those that were not right; NULL = there are no more. */
EXPORTED const char *ps_steps_fault(size_t index)
{
	static char text[TEXT_MAX];
	Dl_info at = {.dli_fname = "?"};

	if (index >= fault_count)
		return NULL;
	dladdr((void *)(uintptr_t)faults[index].pc, &at);
	snprintf(text, sizeof(text), "outcome %d at %s %s+%#lx: %s", faults[index].outcome,
		 at.dli_fname, at.dli_sname ? at.dli_sname : "?",
		 (unsigned long)(faults[index].pc - (uint64_t)(uintptr_t)at.dli_saddr),
		 faults[index].order);
	return text;
}

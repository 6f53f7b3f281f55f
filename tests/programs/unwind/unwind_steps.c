/* See unwind_steps.h.  The processor's trap flag raises SIGTRAP behind every instruction; the
 * handler stands on a stack of its own and uses nothing that may be stepped through. */
#define _GNU_SOURCE
#include "unwind_steps.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "object/unwind/unwind.h"

#define TRAP_FLAG   0x100
#define DEPTH_MAX   4096
#define KEPT_MAX    10
#define CALL_LENGTH 15

struct fault {
	uint64_t pc, expected, got;
	size_t frame;
	int end;
	unsigned long count;
};

static struct call {
	uint64_t back; /* return address */
	uint64_t slot; /* where it is on the stack */
} calls[DEPTH_MAX];
static size_t depth;
static struct unwind_frame frames[DEPTH_MAX];
static struct unwind_stack own;
static uint64_t before_pc, before_sp;
static unsigned long steps, compared, wrong, lost, between, left;
static bool is_stepping;
static struct fault faults[KEPT_MAX];
static size_t fault_count;

static void keep_fault(uint64_t pc, size_t frame, uint64_t expected, uint64_t got, int end)
{
	for (size_t i = 0; i < fault_count; i++)
		if (faults[i].pc == pc) {
			faults[i].count++;
			return;
		}
	if (fault_count < KEPT_MAX)
		faults[fault_count++] = (struct fault){pc, expected, got, frame, end, 1};
}

/* What the instruction before did to the stack of calls. */
static void follow(uint64_t pc, uint64_t sp)
{
	uint64_t back;

	while (depth > 0 && calls[depth - 1].slot < sp)
		depth--;
	if (sp != before_sp - 8)
		return;
	memcpy(&back, (void *)sp, sizeof(back));
	if (back > before_pc && back <= before_pc + CALL_LENGTH && pc != back && depth < DEPTH_MAX)
		calls[depth++] = (struct call){back, sp};
}

/* A return address was changed: an exception is about to be caught, by a return to somewhere
 * else.  The thread is between two stacks, and no one can say which it is. */
static bool is_between(void)
{
	for (size_t i = depth; i-- > 0;) {
		uint64_t back;

		memcpy(&back, (void *)calls[i].slot, sizeof(back));
		if (back != calls[i].back)
			return true;
	}
	return false;
}

static void compare(const struct unwind_registers *at)
{
	enum unwind_end end;
	size_t count = unwind_self(at, &own, frames, DEPTH_MAX, &end);

	steps++;
	if (is_between()) {
		between++;
		return;
	}
	compared += count;
	if (frames[0].address != at->pc) {
		wrong++;
		return;
	}
	for (size_t i = 1; i <= depth; i++) {
		const struct call *call = &calls[depth - i];

		if (i >= count) {
			lost++;
			keep_fault(at->pc, i, call->back, 0, end);
			return;
		}
		if (frames[i].address != call->back - 1 || frames[i].low != call->slot + 8) {
			wrong++;
			keep_fault(at->pc, i, call->back, frames[i].address + 1, -1);
			return;
		}
	}
	if (count != depth + 1 || end != UNWIND_COMPLETE) {
		lost++;
		keep_fault(at->pc, count, 0, 0, end);
	}
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *general = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct unwind_registers at;
	int saved = errno;

	(void)signal, (void)info;
	unwind_from_context(context, &at);
	if (!is_stepping || (left > 0 && --left == 0)) {
		is_stepping = false;
		general[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		errno = saved;
		return;
	}
	follow(at.pc, at.sp);
	compare(&at);
	before_pc = at.pc;
	before_sp = at.sp;
	errno = saved;
}

bool steps_begin_in(void *context, unsigned long count)
{
	struct unwind_registers at;
	enum unwind_end end;
	size_t found;

	if (is_stepping)
		return false;
	unwind_from_context(context, &at);
	/* The stack so far is the unwinder's own word: other tests are about it. */
	found = unwind_self(&at, &own, frames, DEPTH_MAX, &end);
	if (end != UNWIND_COMPLETE)
		return false;
	depth = 0;
	while (found-- > 1)
		calls[depth++] = (struct call){frames[found].address + 1, frames[found].low - 8};
	before_pc = at.pc;
	before_sp = at.sp;
	left = count;
	is_stepping = true;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	return true;
}

static void on_begin(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	steps_begin_in(context, 0);
}

void steps_prepare(void)
{
	static char stack[256 << 10];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	pthread_attr_t attributes;
	size_t size;
	void *low;

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
}

void steps_begin(void)
{
	raise(SIGUSR2);
}

void steps_end(void)
{
	is_stepping = false;
}

static const char *name_of(uint64_t address, char *text, size_t size)
{
	Dl_info info;

	if (!address || !dladdr((void *)address, &info))
		snprintf(text, size, "%#lx", address);
	else
		snprintf(text, size, "%s %s+%#lx (+%#lx)", info.dli_fname,
			 info.dli_sname ? info.dli_sname : "?",
			 address - (info.dli_sname ? (uint64_t)info.dli_saddr : address),
			 address - (uint64_t)info.dli_fbase);
	return text;
}

int steps_report(const char *name)
{
	char at[300], expected[300], got[300];

	for (size_t i = 0; i < fault_count; i++)
		fprintf(stderr, "%lu times at %s, frame %zu: expected %s, got %s, end %d\n",
			faults[i].count, name_of(faults[i].pc, at, sizeof(at)), faults[i].frame,
			name_of(faults[i].expected, expected, sizeof(expected)),
			name_of(faults[i].got, got, sizeof(got)), faults[i].end);
	fprintf(stderr, "%s: %lu steps, %lu frames, %lu wrong, %lu lost, %lu between\n", name,
		steps, compared, wrong, lost, between);
	return steps == 0 || wrong > 0;
}

/* Jumps are removed when a window closes for long, and restored before it opens.
 *
 * A program with many calls that is switched off pays for two jumps and a test at each; with its
 * original text it pays nothing.  The cost is stopping its threads once at each edge. */
#include "collectors/functions/threads/funcpatch_text.h"

#include "base/pages.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/threads/funcpatch_stacks.h"
#include "collectors/functions/threads/funcpatch_stop.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "collectors/functions/threads/funcpatch_waiting.h"
#include "patch/apply/patchapplied.h"
#include "patch/apply/patchapply_lift.h"
#include "platform/code/rawmemory.h"
#include "platform/ticks.h"
#include "runtime/threads/helper.h"

#define NS_PER_MS  UINT64_C(1000000)
#define OFF_NS	   (100 * NS_PER_MS) /* shorter ones are not worth it */
#define LEAD_NS	   (30 * NS_PER_MS)  /* restored at least so much earlier */
#define LEAD_TIMES 5u		     /* … or so many times the duration of the removal */
#define PAUSE_MAX  1000u	     /* checks, a millisecond each, between two attempts */
#define TRIES	   10u		     /* for functions that a thread is in the way of */
#define STEPS_MAX  24u		     /* more instructions than fit in what is changed */
#define CALL_BYTES 2u		     /* of the instruction */
#define JUMP	   0xe9
#define JUMP_BYTES 5u

static struct {	       /* the helper's, except in a forked child */
	bool is_out;   /* the jumps are removed */
	bool may_lift; /* no removal was completed in this window */
	unsigned wait, pause;
	unsigned tries;
	uint64_t left, left_total;
	uint64_t lead_ns;
	struct stacks *stacks;
	struct inner { /* of functions without jumps, while these are restored */
		uint8_t *bits;
		uint64_t bytes;
	} inner[FUNCPATCH_MODULES_MAX];
} text;

void funcpatch_text_init(void)
{
	funcpatch_stop_init();
	text.may_lift = true;
	text.lead_ns = LEAD_NS;
}

bool funcpatch_text_is_out(void)
{
	return text.is_out;
}

uint64_t funcpatch_text_left(void)
{
	return text.left_total;
}

static struct patch_applied *applied_of(uint32_t index)
{
	struct funcpatch_module *module = &funcpatch_modules[index];

	return module->is_loaded && !module->is_rewritten && !module->is_api ? &module->applied
									     : NULL;
}

/* A jump in padding bytes is about to be removed: continue at its target. */
static void leave_jump(struct threadstop_thread *thread)
{
	const unsigned char *code = (const unsigned char *)(uintptr_t)thread->registers.pc;
	int32_t distance;

	for (uint32_t i = 0; i < funcpatch_module_count && !thread->registers.is_in_call; i++) {
		const struct patch_applied *applied = applied_of(i);
		uint64_t start = applied ? applied->plan.header->text_start + applied->bias : 0;
		uint64_t end = applied ? applied->plan.header->text_end + applied->bias : 0;
		uint64_t target;

		if (thread->registers.pc < start || thread->registers.pc + JUMP_BYTES > end ||
		    code[0] != JUMP)
			continue;
		raw_copy(&distance, code + 1, sizeof(distance));
		target = thread->registers.pc + JUMP_BYTES + (uint64_t)(int64_t)distance;
		if (target >= applied->code && target < applied->code_end)
			threadstop_set_pc(thread, target);
		return;
	}
}

static bool text_lift(struct threadstop *stop, void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < stop->count; i++)
		leave_jump(&stop->threads[i]);
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct patch_applied *applied = applied_of(i);

		if (applied)
			(void)patchapply_lift(applied);
	}
	text.is_out = true;
	return true;
}

/* Prevent other threads from unloading modules. */
static void pin_all(void)
{
	uint64_t before;

	funcpatch_lock(&before);
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct patch_applied *applied = applied_of(i);

		if (applied)
			patchapply_pin(applied);
	}
	funcpatch_unlock(before);
}

static bool mark_inner_of(struct patch_applied *applied, struct inner *inner)
{
	inner->bytes = patchapply_inner_bytes(applied);
	inner->bits = pages_new(inner->bytes);
	if (inner->bits)
		patchapply_inner_mark(applied, inner->bits);
	return inner->bits != NULL;
}

/* False: there is no memory for it. */
static bool mark_inner(void)
{
	bool is_done = true;
	uint64_t before;

	funcpatch_lock(&before);
	for (uint32_t i = 0; i < funcpatch_module_count && is_done; i++) {
		struct patch_applied *applied = applied_of(i);

		if (applied)
			is_done = mark_inner_of(applied, &text.inner[i]);
	}
	funcpatch_unlock(before);
	return is_done;
}

static void forget_inner(void)
{
	for (uint32_t i = 0; i < FUNCPATCH_MODULES_MAX; i++) {
		if (text.inner[i].bits)
			pages_free(text.inner[i].bits, text.inner[i].bytes);
		text.inner[i].bits = NULL;
	}
}

/* The module whose bytes that are about to be changed contain address, except the first byte.  A
 * module loaded since they were marked has no functions without jumps. */
static struct patch_applied *inner_at(uint64_t address)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct patch_applied *applied = text.inner[i].bits ? applied_of(i) : NULL;

		if (applied && patchapply_inner_bytes(applied) == text.inner[i].bytes &&
		    patchapply_is_inner(applied, text.inner[i].bits, address))
			return applied;
	}
	return NULL;
}

static void text_hold(uint64_t address, void *unused)
{
	struct patch_applied *applied = inner_at(address);

	(void)unused;
	if (applied)
		patchapply_hold(applied, address);
}

static void clear_thread(struct threadstop_thread *thread)
{
	for (unsigned i = 0;
	     i < STEPS_MAX && !thread->registers.is_in_call && inner_at(thread->registers.pc); i++)
		if (!threadstop_step(thread))
			break;
	text_hold(thread->registers.pc, NULL);
	if (thread->registers.is_in_call) /* where a restarted call begins */
		text_hold(thread->registers.pc - CALL_BYTES, NULL);
}

/* False: for some module nothing could be restored. */
static bool text_restore_all(void)
{
	bool is_all = true;

	text.left = 0;
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct patch_applied *applied = applied_of(i);
		uint64_t left = 0;

		if (!applied)
			continue;
		if (patchapply_put_back(applied, &left) != 0)
			is_all = false;
		text.left += left;
	}
	return is_all;
}

static bool text_restore(struct threadstop *stop, void *unused)
{
	(void)unused;
	stacks_clear(text.stacks);
	for (uint32_t i = 0; i < stop->count; i++) {
		clear_thread(&stop->threads[i]);
		stacks_add(text.stacks, stop->threads[i].registers.sp);
	}
	if (!stacks_each(text.stacks, text_hold, NULL) || !text_restore_all())
		return false;
	text.is_out = false;
	return true;
}

static void wait_longer(void)
{
	text.pause = text.pause ? text.pause * 2 : 1;
	if (text.pause > PAUSE_MAX)
		text.pause = PAUSE_MAX;
	text.wait = text.pause;
}

static void wait_no_longer(void)
{
	text.wait = text.pause = 0;
}

static int32_t text_own_id(void)
{
	return (int32_t)raw_call(SYS_gettid, 0, 0, 0);
}

/* A wait with a time limit would start over: let it end first. */
static void try_lift(void)
{
	if (waiting_worst(text_own_id()) != WAITING_FREE) {
		wait_longer();
		return;
	}
	pin_all();
	if (!funcpatch_stopped(text_lift, NULL)) {
		wait_longer();
		return;
	}
	if (text.lead_ns < LEAD_TIMES * funcpatch_stop_lasted_ns())
		text.lead_ns = LEAD_TIMES * funcpatch_stop_lasted_ns();
	text.may_lift = false;
	wait_no_longer();
}

static void try_restore(uint64_t shut_ns)
{
	enum waiting worst = waiting_worst(text_own_id());

	if (worst == WAITING_FRAGILE || (worst == WAITING_LIMIT && shut_ns > text.lead_ns / 2))
		return;
	stacks_learn(text.stacks);
	if (mark_inner() && funcpatch_stopped(text_restore, NULL))
		wait_no_longer();
	else
		wait_longer();
	forget_inner();
	text.tries = text.left ? TRIES : 0;
}

/* What was in the way is gone soon: it was a signal handler. */
static void try_rest(void)
{
	if (mark_inner() && funcpatch_stopped(text_restore, NULL) && text.left == 0)
		text.tries = 1;
	forget_inner();
	wait_longer();
	if (--text.tries == 0)
		text.left_total += text.left;
}

static bool is_waiting(void)
{
	if (text.wait == 0)
		return false;
	text.wait--;
	return true;
}

void funcpatch_text_follow(void)
{
	uint64_t shut_ns = kymo_helper_shut_ns();

	if (funcpatch_is_attached || !__atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		return;
	if (!text.stacks)
		text.stacks = pages_new(sizeof(*text.stacks));
	if (!text.stacks)
		return;
	text.may_lift |= shut_ns == 0;
	if (text.is_out && shut_ns < text.lead_ns) {
		if (!is_waiting())
			try_restore(shut_ns);
	} else if (!text.is_out && shut_ns < text.lead_ns) {
		if (text.tries && !is_waiting())
			try_rest();
	} else if (!text.is_out && text.may_lift && shut_ns > OFF_NS + text.lead_ns &&
		   !funcpatch_gate_is_open() && !is_waiting()) {
		try_lift();
	}
}

/* Only the forking thread is left; the stacks of the others are unused. */
void funcpatch_text_forked(void)
{
	text.tries = 0;
	wait_no_longer();
	text.may_lift = true;
	if (!text.is_out || !text.stacks)
		return;
	stacks_learn(text.stacks);
	stacks_clear(text.stacks);
	stacks_add(text.stacks, (uint64_t)(uintptr_t)__builtin_frame_address(0));
	if (mark_inner() && stacks_each(text.stacks, text_hold, NULL) && text_restore_all())
		text.is_out = false;
	forget_inner();
}

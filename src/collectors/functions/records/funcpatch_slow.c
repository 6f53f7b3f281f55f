/* Called by trampolines if there is more to do than write a record.
 *
 * Compiled to use general registers only, like all that is called here directly: vector
 * registers may contain arguments and results. */
#include "collectors/functions/records/funcpatch_slow.h"

#include "collectors/functions/records/funcpatch_away.h"
#include "collectors/functions/records/funcpatch_marked.h"
#include "collectors/functions/records/funcpatch_outside.h"
#include "collectors/functions/records/funcpatch_values.h"

#include <signal.h>
#include <sys/mman.h>

#include "base/signalmask.h"
#include "collectors/functions/counts/funcpatch_counts.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "platform/code/rawmemory.h"
#include "platform/processor.h"
#include "platform/ticks.h"

#define NEAR_BYTES 16u	 /* from a trampoline's stack pointer to its return address, at most */
#define DEEP_BYTES 2048u /* so much of the stack is used below it */

/* A handler may read it at any time. */
static void slow_set_state(struct patch_thread_state *hot, uint64_t state)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&hot->state, state, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void slow_put_bytes(struct patch_thread_state *hot, uint64_t head, unsigned head_bytes,
			   uint64_t time, bool has_time)
{
	uint8_t *at = hot->cursor;

	if (has_time)
		__builtin_memcpy(at + head_bytes, &time, sizeof(time));
	for (unsigned i = 0; i < head_bytes; i++, head >>= 8)
		at[i] = (uint8_t)head;
	hot->cursor = at + head_bytes + (has_time ? PATCH_TIME_BYTES : 0);
}

static bool is_far(const struct patch_thread_state *hot, uint64_t now, unsigned bits)
{
	return hot->last == 0 || now - hot->last >= (UINT64_C(1) << bits) - 1;
}

static void put_enter(struct patch_thread_state *hot, uint32_t id, uint64_t slot, uint64_t now)
{
	uint64_t most = (1u << PATCH_ENTER_TICKS_BITS) - 1;
	bool is_long = is_far(hot, now, PATCH_ENTER_TICKS_BITS);
	uint64_t head = 1 | (is_long ? most : now - hot->last) << 1 |
			((slot >> PATCH_SLOT_SHIFT) & PATCH_SLOT_MASK) << PATCH_ENTER_SLOT_SHIFT |
			(uint64_t)id << PATCH_ENTER_ID_SHIFT;

	slow_put_bytes(hot, head, PATCH_ENTER_BYTES, now, is_long);
	hot->last = now;
}

static void put_exit(struct patch_thread_state *hot, uint64_t slot, uint64_t now)
{
	uint64_t most = (1u << PATCH_EXIT_TICKS_BITS) - 1;
	bool is_long = is_far(hot, now, PATCH_EXIT_TICKS_BITS);
	uint64_t head = 2 | (is_long ? most : now - hot->last) << PATCH_EXIT_TICKS_SHIFT |
			((slot >> PATCH_SLOT_SHIFT) & PATCH_SLOT_MASK) << PATCH_EXIT_SLOT_SHIFT;

	slow_put_bytes(hot, head, PATCH_EXIT_BYTES, now, is_long);
	hot->last = now;
}

/* Ticks in place of a time. */
static void slow_put_mark(struct patch_thread_state *hot, enum patch_mark mark, uint64_t ticks)
{
	slow_put_bytes(hot, (uint64_t)mark << 2, 1, ticks, true);
}

/* True if the active trampoline is the caller. */
static bool is_its_own(const struct patch_thread_state *hot, uint64_t slot)
{
	return hot->state + NEAR_BYTES >= slot && hot->state <= slot + NEAR_BYTES;
}

/* The trampoline's own record is written, and there is no space for another. */
static bool has_filled(const struct patch_thread_state *hot, uint64_t slot)
{
	return hot->cursor >= hot->limit && is_its_own(hot, slot);
}

/* It has detected a long time without records, and written none. */
static bool has_paused(const struct patch_thread_state *hot, uint64_t slot)
{
	return hot->cursor < hot->limit && hot->state > PATCH_STATE_MAX && is_its_own(hot, slot);
}

/* The kernel has pushed what it interrupted onto the stack below: its stack pointer, and next to
 * it the program counter.  That of a handler that jumped away remains, but is not below this. */
#define FRAME_BYTES 16384u

struct old_stack {
	uint64_t words[FRAME_BYTES / 8];
};

static bool has_signal_frame(uint64_t interrupted, uint64_t here)
{
	struct old_stack *stack = (struct old_stack *)funcpatch_self->stack;
	uint64_t from = interrupted - FRAME_BYTES, got;
	uint64_t local[2], remote[2];

	if (from < here && here < interrupted)
		from = here & ~UINT64_C(7);
	local[0] = (uint64_t)(uintptr_t)stack;
	remote[0] = from;
	local[1] = remote[1] = interrupted - from;
	got = (uint64_t)raw_call6(SYS_process_vm_readv, raw_call(SYS_getpid, 0, 0, 0), (long)local,
				  1, (long)remote, 1, 0);
	if ((int64_t)got <= 0)
		return true; /* undecidable: rather lose an event */
	for (uint64_t i = 0; i + 1 < got / 8; i++) {
		uint64_t pointer = stack->words[i];

		if (pointer + DEEP_BYTES >= interrupted && pointer <= interrupted + NEAR_BYTES &&
		    (funcpatch_module_at(stack->words[i + 1]) ||
		     funcpatch_is_own(stack->words[i + 1])))
			return true;
	}
	return false;
}

bool funcpatch_is_on_signal_stack(void)
{
	struct {
		uint64_t start;
		int32_t flags, padding;
		uint64_t size;
	} stack;

	return raw_call(SYS_sigaltstack, 0, (long)&stack, 0) == 0 && (stack.flags & 1);
}

/* state is the stack pointer of a trampoline.  False: it is still active, and a signal handler
 * interrupted it; true: such a handler has jumped away, and it never continues. */
static bool is_abandoned(const struct patch_thread_state *hot, uint64_t slot)
{
	uint64_t interrupted = hot->state;

	if (!funcpatch_self || funcpatch_is_on_signal_stack())
		return false;
	return interrupted <= slot || !has_signal_frame(interrupted, slot);
}

/* Functions of the C library that are called there may be instrumented, too: they are not
 * recorded. */
static void call_apart(void (*function)(void *), void *argument, char *stack)
{
	const uint64_t held = signalmask_blocked();
	struct patch_thread_state *hot = &funcpatch_thread_state;
	struct funcpatch_job job;
	uint64_t before, state;

	job.function = function;
	job.argument = argument;
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&held, (long)&before, sizeof(before), 0,
		  0);
	state = hot->state;
	slow_set_state(hot, PATCH_STATE_INSIDE);
	funcpatch_call_on(funcpatch_job_do, &job, stack + FUNCPATCH_STACK_BYTES);
	if (hot->state == PATCH_STATE_INSIDE)
		slow_set_state(hot, state);
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof(before), 0, 0);
}

/* The thread's first event, or its first after a fork. */
static bool slow_attach_thread(struct patch_thread_state *hot)
{
	long stack;

	if (!__atomic_load_n(&funcpatch_is_open, __ATOMIC_RELAXED))
		return false;
	stack = raw_map(0, FUNCPATCH_STACK_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack < 0)
		return false;
	call_apart(funcpatch_thread_attach, NULL, (char *)stack);
	raw_unmap((uint64_t)stack, FUNCPATCH_STACK_BYTES);
	if (funcpatch_self)
		return true;
	slow_set_state(hot, PATCH_STATE_OUT);
	return false;
}

bool funcpatch_apart(void (*function)(void *))
{
	struct funcpatch_thread *self = funcpatch_self;

	call_apart(function, self, self->stack);
	return !self->is_out;
}

/* False: this event is not recorded.  While it is processed, the state is its slot: so that what
 * a handler leaves by a jump can be distinguished from work in progress. */
static bool slow_admit(struct patch_thread_state *hot, uint64_t slot)
{
	uint64_t state = hot->state;

	if (state == PATCH_STATE_READY)
		return true;
	if (state == PATCH_STATE_NEW && slow_attach_thread(hot))
		return !funcpatch_gate_is_stopped();
	if (state > PATCH_STATE_MAX && is_abandoned(hot, slot)) {
		hot->last = 0; /* the next record has an absolute time */
		return true;
	}
	hot->skipped++;
	return false;
}

/* True if an event may be recorded; is_written: the trampoline has written its record; now: the
 * time for another one.  The kernel pre-empts most often during the measurement: that is after
 * the record, and in the next measurement. */
static bool begin_traced(struct patch_thread_state *hot, uint64_t slot, bool *is_written,
			 uint64_t *now)
{
	bool is_late;
	uint64_t ticks;

	*is_written = has_filled(hot, slot);
	is_late = !*is_written && has_paused(hot, slot);
	if (!*is_written && !is_late && !slow_admit(hot, slot))
		return false;
	slow_set_state(hot, slot);
	*now = funcpatch_now();
	if (!is_late)
		return true;
	hot->last = 0; /* the record has an absolute time */
	ticks = funcpatch_away_measure(funcpatch_self, 0);
	if (ticks > 0)
		slow_put_mark(hot, PATCH_MARK_AWAY, ticks);
	return true;
}

static void end_traced(struct patch_thread_state *hot)
{
	if (hot->cursor >= hot->limit && !funcpatch_apart(funcpatch_thread_refill))
		slow_set_state(hot, PATCH_STATE_OUT);
	else
		slow_set_state(hot, PATCH_STATE_READY);
}

/* The trampoline has written nothing. */
static bool put_marked(struct patch_thread_state *hot, bool is_exit, uint32_t id, uint64_t slot)
{
	struct funcpatch_thread *self;
	bool is_put;

	if (!slow_admit(hot, slot))
		return false;
	self = funcpatch_self;
	slow_set_state(hot, slot);
	is_put = funcpatch_marked_put(hot, is_exit, id, slot);
	if (funcpatch_self == self)
		slow_set_state(hot, is_put ? PATCH_STATE_READY : PATCH_STATE_OUT);
	return is_put;
}

static uint64_t slow_enter_traced(struct patch_thread_state *hot, uint32_t id, uint64_t slot)
{
	bool is_written;
	uint64_t now;

	if (funcpatch_is_marked())
		return put_marked(hot, false, id, slot);
	if (!begin_traced(hot, slot, &is_written, &now))
		return 0;
	if (!is_written)
		put_enter(hot, id, slot, now);
	end_traced(hot);
	return 1;
}

static void exit_traced(struct patch_thread_state *hot, uint64_t slot)
{
	bool is_written;
	uint64_t now;

	if (funcpatch_is_marked()) {
		(void)put_marked(hot, true, 0, slot);
		return;
	}
	if (!begin_traced(hot, slot, &is_written, &now))
		return;
	if (!is_written)
		put_exit(hot, slot, now);
	end_traced(hot);
}

/* True: the call ends by funcpatch_values_returned(). */
static bool slow_record_values(const struct funcpatch_module *module,
			       const struct values_function *function, uint64_t slot,
			       const uint64_t *saved)
{
	struct funcpatch_call call;

	call.module = module;
	call.function = function;
	call.self = funcpatch_self;
	call.slot = slot;
	funcpatch_values_registers(&call, saved);
	call_apart(funcpatch_values_enter, &call, funcpatch_self->stack);
	return call.has_end;
}

static void end_timed(uint64_t slot, uint64_t now)
{
	struct funcpatch_timing timing;

	timing.self = funcpatch_self;
	timing.slot = slot;
	timing.now = now;
	funcpatch_call_kept(funcpatch_counts_exit, &timing);
}

/* Recording may be off by now, or a handler active: the program continues in any case. */
uint64_t funcpatch_values_returned(const uint64_t *saved)
{
	struct patch_thread_state *hot = &funcpatch_thread_state;
	uint64_t slot = (uint64_t)(uintptr_t)(saved + 1);
	struct funcpatch_return result;
	uint64_t now = ticks_read();

	result.self = funcpatch_self;
	result.slot = slot;
	result.integer = saved[-7];
	result.vector = funcpatch_values_vector();
	if (funcpatch_values_is_x87(result.self, slot))
		funcpatch_values_x87(result.x87);
	if (result.self && __atomic_load_n(&funcpatch_is_open, __ATOMIC_RELAXED) &&
	    slow_admit(hot, slot)) {
		slow_set_state(hot, slot);
		end_timed(slot, now);
		call_apart(funcpatch_values_leave, &result, result.self->stack);
		slow_set_state(hot, PATCH_STATE_READY);
	}
	return *(const uint64_t *)(uintptr_t)(slot ^ UINT64_C(1) << PATCH_SHADOW_BIT);
}

/* The trampoline has counted the call already, unless the thread had no table of countdowns. */
static uint64_t *slow_enter_counted(struct patch_thread_state *hot,
				    const struct funcpatch_module *module, uint32_t index,
				    uint64_t slot, uint64_t caller, uint64_t frame,
				    const uint64_t *saved)
{
	struct funcpatch_timing timing;
	const struct values_function *values = NULL;
	uint32_t id = module->first_id + index;
	bool is_counted = hot->left != NULL;

	if (!slow_admit(hot, slot)) {
		if (is_counted && funcpatch_self)
			funcpatch_counts_only(funcpatch_self, id);
		return NULL;
	}
	slow_set_state(hot, slot);
	if (!is_counted)
		hot->left[id]--;
	if (funcpatch_gate_is_shut())
		(void)funcpatch_apart(funcpatch_gate_notice);
	if (funcpatch_counts_need_space(funcpatch_self))
		(void)funcpatch_apart(funcpatch_counts_refill);
	timing.self = funcpatch_self;
	timing.module = module;
	timing.index = index;
	timing.slot = slot;
	timing.caller = caller;
	timing.known = caller || funcpatch_has_unloaded
			       ? NULL
			       : funcpatch_counts_prefetch(funcpatch_self, module, index, slot);
	if (!caller && !timing.known)
		timing.caller = funcpatch_outside(slot, frame);
	timing.start = NULL;
	if (saved && module->values.function_count)
		values = values_find(&module->values, index);
	timing.is_each = values != NULL;
	funcpatch_call_kept(funcpatch_counts_enter, &timing);
	/* The time for reading the values is not part of the call. */
	if (values && slow_record_values(module, values, slot, saved) && timing.start) {
		*timing.start = ticks_read();
		timing.start = NULL;
	}
	slow_set_state(hot, PATCH_STATE_READY);
	return timing.start;
}

static void exit_counted(struct patch_thread_state *hot, uint64_t slot, uint64_t now)
{
	if (!funcpatch_self || !slow_admit(hot, slot))
		return;
	slow_set_state(hot, slot);
	end_timed(slot, now);
	slow_set_state(hot, PATCH_STATE_READY);
}

struct funcpatch_wanted funcpatch_enter(uint32_t index, uint64_t slot, uint64_t place,
					uint64_t frame, const uint64_t *saved)
{
	const struct funcpatch_module *module = funcpatch_module_at(place);
	struct patch_thread_state *hot = &funcpatch_thread_state;
	struct funcpatch_wanted wanted = {0, NULL};

	if (!module || index >= module->count)
		return wanted;
	if (funcpatch_settings.cost == PATCH_COST_COUNTS) {
		wanted.start = slow_enter_counted(hot, module, index, slot, 0, frame, saved);
		wanted.is_wanted = wanted.start != NULL;
	} else {
		wanted.is_wanted = slow_enter_traced(hot, module->first_id + index, slot);
	}
	return wanted;
}

void funcpatch_exit(uint64_t slot, uint64_t place, uint64_t now)
{
	struct patch_thread_state *hot = &funcpatch_thread_state;

	(void)place;
	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		exit_counted(hot, slot, now);
	else
		exit_traced(hot, slot);
}

bool funcpatch_traced_enter(uint32_t id, uint64_t slot)
{
	return slow_enter_traced(&funcpatch_thread_state, id, slot) != 0;
}

void funcpatch_traced_exit(uint64_t slot)
{
	exit_traced(&funcpatch_thread_state, slot);
}

uint64_t *funcpatch_counted_enter(const struct funcpatch_module *module, uint32_t index,
				  uint64_t slot, uint64_t caller)
{
	return slow_enter_counted(&funcpatch_thread_state, module, index, slot, caller,
				  FUNCPATCH_NO_FRAME, NULL);
}

void funcpatch_counted_exit(uint64_t slot, uint64_t now)
{
	exit_counted(&funcpatch_thread_state, slot, now);
}

const struct funcpatch_module *funcpatch_module_at(uint64_t address)
{
	uint32_t count = __atomic_load_n(&funcpatch_module_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (address >= funcpatch_modules[i].applied.code &&
		    address < funcpatch_modules[i].applied.code_end)
			return &funcpatch_modules[i];
	return NULL;
}

uint64_t funcpatch_now(void)
{
	if (funcpatch_settings.is_serialized)
		processor_wait();
	if (funcpatch_settings.cost == PATCH_COST_COARSE)
		return __atomic_load_n(&funcpatch_clock, __ATOMIC_RELAXED);
	return ticks_read();
}

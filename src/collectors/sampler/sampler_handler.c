/* The signal handler: what the interrupted thread was doing, as one record.
 *
 * All signals are blocked while it runs: it is never left by a long jump.  It is called on the
 * alternate signal stack if there is one, which may be small, and does its work on a stack of
 * its own. */
#include "collectors/sampler/sampler_handler.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "base/keeperrno.h"
#include "collectors/sampler/python/sampler_codes.h"
#include "collectors/sampler/python/sampler_interpreter.h"
#include "collectors/sampler/python/sampler_python.h"
#include "collectors/sampler/sampler_call.h"
#include "collectors/sampler/sampler_event.h"
#include "collectors/sampler/sampler_kernel.h"
#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_rest.h"
#include "collectors/sampler/sampler_scratch.h"
#include "collectors/sampler/sampler_signals.h"
#include "collectors/sampler/sampler_stackbounds.h"
#include "collectors/sampler/sampler_stacks.h"
#include "collectors/sampler/sampler_state.h"
#include "collectors/sampler/sampler_stream.h"
#include "collectors/sampler/sampler_timer.h"
#include "format/sample_encode.h"
#include "object/unwind/unwind.h"
#include "platform/stackmark.h"
#include "platform/usage.h"
#include "pystack/merge/pymerge_between.h"
#include "runtime/control/signalshare.h"

#define WAITING_SHARE 8u  /* a thread waits that uses less than that part of the time */
#define IDLE_SHARE    64u /* as above; below it not even a sample is taken */

#define READ_EVERY   32u       /* signals between two readings of the clock */
#define READ_SURE_NS 20000000u /* after so long a time its rate is known */
#define READ_KEEP_NS 1e9       /* the machine may sleep: only one of the two clocks advances then */
#define COST_SURE    8u	       /* number of known costs for a reliable mean */
#define COST_TIMES   64u       /* a cost so many times the mean is rejected */

__thread struct sampler_thread *sampler_self __attribute__((tls_model("initial-exec")));
bool sampler_is_closed;

struct interrupted { /* by one signal */
	struct sampler_thread *self;
	unsigned index; /* of the kind */
	struct sampler_scratch *scratch;
	const void *context;
	struct sampler_call call;
	uint64_t ticks, ns, cpu_ns; /* when */
	bool is_waiting;	    /* hardly any CPU time was used since the latest one */
};

struct builder { /* frames innermost first, until there are enough */
	struct sampler_scratch *scratch;
	const struct sampler_interpreter *interpreter;
	uint32_t count;
	bool is_cut, has_failed;
	bool is_certain;
	bool has_lost; /* which is already marked */
};

/* They are stored from the end of path downwards, so that the outermost is first. */
static void handler_push(struct builder *builder, uint64_t frame)
{
	if (builder->count == sampler_plan.depth) {
		builder->is_cut = true;
		return;
	}
	builder->count++;
	builder->scratch->path[SAMPLER_PATH_MAX - builder->count] = frame;
}

static void push_mark(struct builder *builder, enum kymo_frame_mark mark)
{
	builder->count++;
	builder->scratch->path[SAMPLER_PATH_MAX - builder->count] =
		kymo_frame(KYMO_FRAME_MARK, mark);
}

static void push_python(struct builder *builder, const struct pyframe *frame)
{
	uint64_t word;

	if (builder->count == sampler_plan.depth)
		builder->is_cut = true;
	else if (sampler_code_frame(&builder->interpreter->runtime, frame, &word))
		handler_push(builder, word);
	else
		builder->has_failed = true;
}

/* If the native frames end before the Python frames do, a marker is put in between. */
static void push_merged(struct builder *builder, const struct sampler_python *python,
			size_t native_count, enum unwind_end end)
{
	struct sampler_scratch *scratch = builder->scratch;
	struct pymerge_stack stack = {.native = scratch->native,
				      .native_count = native_count,
				      .python = scratch->python,
				      .python_count = python->count};
	struct pymerge_result merged;

	stack.is_between =
		pymerge_is_between(&python->interpreter->runtime, NULL, python->thread,
				   &python->interpreter->evaluation, &stack, scratch->python);
	merged = pymerge(&stack, &python->interpreter->evaluation, scratch->merged);
	builder->is_certain = merged.is_certain;
	for (size_t i = 0; i < merged.count && !builder->is_cut && !builder->has_failed; i++) {
		uint32_t index = scratch->merged[i].index;

		if (i == merged.native_count && end != UNWIND_COMPLETE) {
			push_mark(builder, KYMO_MARK_LOST);
			builder->has_lost = true;
		}
		if (scratch->merged[i].is_python)
			push_python(builder, &scratch->python[index]);
		else
			handler_push(builder,
				     kymo_frame(KYMO_FRAME_NATIVE, scratch->native[index].address));
	}
}

static void push_native(struct builder *builder, size_t count)
{
	for (size_t i = 0; i < count && !builder->is_cut; i++)
		handler_push(builder,
			     kymo_frame(KYMO_FRAME_NATIVE, builder->scratch->native[i].address));
}

/* The frames of the interrupted stack, innermost first. */
static void handler_build(struct builder *builder, struct sampler_thread *self,
			  struct interrupted *seen, enum kymo_gil_state *gil_out)
{
	struct unwind_registers registers;
	struct unwind_stack stack;
	struct sampler_python python;
	enum unwind_end end;
	size_t native;

	unwind_from_context(seen->context, &registers);
	stack = sampler_bounds_of(self, registers.sp);
	if (seen->call.is_call)
		sampler_call_name(seen->context, &stack, &seen->call);
	native =
		unwind_self(&registers, &stack, builder->scratch->native, SAMPLER_NATIVE_MAX, &end);
	sampler_python_walk(self, builder->scratch, seen->context, &seen->call, &python);
	builder->interpreter = python.interpreter;
	*gil_out = python.gil;
	if (seen->call.is_call)
		handler_push(builder, sampler_kernel_frame(self, &seen->call, seen->is_waiting));
	if (python.count)
		push_merged(builder, &python, native, end);
	else
		push_native(builder, native);
	if (!builder->is_certain || python.is_torn)
		push_mark(builder, KYMO_MARK_UNCERTAIN);
	if (builder->is_cut || end == UNWIND_CUT || python.is_cut)
		push_mark(builder, KYMO_MARK_CUT);
	else if (end != UNWIND_COMPLETE && !builder->has_lost)
		push_mark(builder, KYMO_MARK_LOST);
}

/* Id of the interrupted stack; 0 = it could not be stored. */
static uint32_t handler_take_stack(struct sampler_thread *self, struct interrupted *seen,
				   enum kymo_gil_state *gil_out)
{
	struct builder builder = {.scratch = seen->scratch, .is_certain = true};

	handler_build(&builder, self, seen, gil_out);
	if (builder.has_failed)
		return 0;
	return sampler_stack_id(self, &builder.scratch->path[SAMPLER_PATH_MAX - builder.count],
				builder.count);
}

static uint64_t handler_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Interpolates y at x == at between the latest signal and this one. */
static uint64_t handler_between(uint64_t at, uint64_t x0, uint64_t x1, uint64_t y0, uint64_t y1)
{
	if (at <= x0 || x1 <= x0 || y1 <= y0)
		return y0;
	if (at >= x1)
		return y1;
	return y0 + (uint64_t)((double)(y1 - y0) * ((double)(at - x0) / (double)(x1 - x0)));
}

/* Ticks at which the kind began for this thread. */
static uint64_t kind_ticks(const struct sampler_thread *self, const struct sampler_kind *kind,
			   const struct interrupted *seen)
{
	return handler_between(kind->start_ns, self->start_ns, seen->ns, self->start_ticks,
			       seen->ticks);
}

static bool handler_begin_at(struct sampler_thread *self, uint64_t since,
			     const struct interrupted *seen)
{
	const struct sample_record record = {.kind = KYMO_SAMPLE_BEGIN, .ticks = since};
	uint64_t cpu_ns = handler_between(since, self->seen_ticks, seen->ticks, self->seen_cpu_ns,
					  seen->cpu_ns);

	if (!sampler_stream_put(self, &record))
		return false;
	self->has_begun = true;
	self->begun_ticks = since;
	for (unsigned i = 0; i < SAMPLER_KINDS; i++) {
		struct sampler_timer *timer = &self->timer[i];

		timer->was_closed = false;
		timer->cpu_ns = cpu_ns;
		if (timer->engine == SAMPLER_EVENT && sampler_event_is_open(timer))
			timer->event_count = sampler_event_count(timer->id);
	}
	return true;
}

/* True if this is recorded; a BEGIN record is written first if recording was resumed. */
static bool handler_admit(struct sampler_thread *self, unsigned index,
			  const struct interrupted *seen)
{
	const struct sampler_kind *kind = &sampler_plan.kind[index];
	struct sampler_timer *timer = &self->timer[index];
	uint64_t opened, since;

	if (seen->ns < kind->start_ns || !kymo_sample_admits(self->thread, &opened)) {
		timer->was_closed = true;
		return false;
	}
	since = opened;
	if (timer->was_closed)
		since = handler_later(since, self->seen_ticks);
	else if (self->has_begun && since <= self->begun_ticks)
		return true;
	since = handler_later(since, kind_ticks(self, kind, seen));
	if (!handler_begin_at(self, since < seen->ticks ? since : seen->ticks, seen))
		return false;
	/* Recording may have been resumed after the clock was read: then use that time. */
	self->begun_ticks = handler_later(self->begun_ticks, opened);
	return true;
}

static void count_event(struct sampler_timer *timer, const struct sampler_kind *kind,
			struct sample_record *record)
{
	uint64_t count;

	if (kind->engine != SAMPLER_EVENT || kind->is_time)
		return;
	count = sampler_event_count(timer->id);
	record->has_value = true;
	record->value = count > timer->event_count ? count - timer->event_count : timer->period;
	timer->event_count = count;
}

static void record_sample(struct sampler_thread *self, unsigned index, struct interrupted *seen)
{
	const struct sampler_kind *kind = &sampler_plan.kind[index];
	struct sampler_timer *timer = &self->timer[index];
	struct sample_record record = {.kind = sampler_kind_of(index), .ticks = seen->ticks};

	if (timer->engine == SAMPLER_WEIGHTED &&
	    seen->cpu_ns - timer->cpu_ns < kind->period / IDLE_SHARE)
		return;
	record.stack = handler_take_stack(self, seen, &record.gil);
	if (!record.stack) {
		self->stream.lost++;
		return;
	}
	record.cpu_ns = sample_cpu_since(&timer->cpu_ns, seen->cpu_ns);
	record.has_cpu = record.cpu_ns > 0;
	count_event(timer, kind, &record);
	sampler_rest_catch_up(self, &record, seen->cpu_ns);
	sampler_stream_put(self, &record);
}

/* Makes a forked child's recording now, if that was not done yet. */
static bool has_thread(struct sampler_thread *self)
{
	struct kymo_thread *thread;

	if (!self->has_forked)
		return true;
	thread = kymo_sample_resume();
	if (!thread)
		return false;
	self->thread = thread;
	self->has_forked = false;
	return true;
}

/* The recording's clock is faster to read: the other is read from time to time. */
static uint64_t monotonic_ns(struct sampler_thread *self, uint64_t ticks)
{
	double since = (double)(ticks - self->read_ticks) * self->ns_per_tick;
	uint64_t ns;

	if (self->until_read && since < READ_KEEP_NS) {
		self->until_read--;
		return self->read_ns + (uint64_t)since;
	}
	ns = usage_clock_ns(CLOCK_MONOTONIC);
	if (ticks > self->start_ticks && ns > self->start_ns + READ_SURE_NS) {
		self->ns_per_tick =
			(double)(ns - self->start_ns) / (double)(ticks - self->start_ticks);
		self->until_read = READ_EVERY;
	}
	self->read_ticks = ticks;
	self->read_ns = ns;
	return ns;
}

static uint64_t handler_cpu_ns(void)
{
	struct timespec time = {0, 0};

	sampler_system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&time, 0, 0);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void read_clocks(struct sampler_thread *self, struct interrupted *seen)
{
	seen->ticks = kymo_now(self->thread);
	seen->ns = monotonic_ns(self, seen->ticks);
	seen->cpu_ns = handler_cpu_ns();
	seen->is_waiting =
		(seen->cpu_ns - self->seen_cpu_ns) * WAITING_SHARE < seen->ns - self->seen_ns;
}

/* One that took very long was not working, but waiting for a processor. */
static void handler_add_cost(struct sampler_thread *self, const struct interrupted *seen)
{
	uint64_t ticks = kymo_now(self->thread) - seen->ticks;

	if (self->cost_count >= COST_SURE &&
	    ticks > COST_TIMES * self->cost_ticks / self->cost_count)
		ticks = self->cost_ticks / self->cost_count;
	self->cost_ticks += ticks;
	self->cost_count++;
}

/* On the scratch buffer's stack. */
static void handler_work(struct interrupted *seen)
{
	struct sampler_thread *self = seen->self;

	stack_mark_elsewhere(true); /* this library's copy, and the runtime's */
	kymo_sample_elsewhere(true);
	self->rest.has_sample = false;
	if (has_thread(self)) {
		read_clocks(self, seen);
		self->is_waiting = seen->is_waiting && seen->call.may_have_slept;
		if (handler_admit(self, seen->index, seen))
			record_sample(self, seen->index, seen);
		self->seen_ticks = seen->ticks;
		self->seen_ns = seen->ns;
		self->seen_cpu_ns = seen->cpu_ns;
	} else {
		seen->ns = usage_clock_ns(CLOCK_MONOTONIC);
		self->is_waiting = false;
	}
	sampler_timer_next(self, seen->index, seen->ns);
	if (!self->has_forked)
		handler_add_cost(self, seen);
	kymo_sample_elsewhere(false);
	stack_mark_elsewhere(false);
}

static void handler_take(struct sampler_thread *self, struct interrupted *seen)
{
	seen->self = self;
	if (seen->scratch) {
		handler_work(seen);
	} else {
		self->stream.lost++;
		sampler_timer_next(self, seen->index, usage_clock_ns(CLOCK_MONOTONIC));
	}
}

/* -1: it is not from sampling's timers and events, but was sent by another source. */
static int handler_kind_of(int signal, const siginfo_t *info)
{
	if (info->si_code != SI_TIMER && info->si_code <= 0)
		return -1;
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (sampler_plan.kind[i].is_on && sampler_plan.kind[i].signal == signal)
			return (int)i;
	return -1;
}

/* Wrappers that hide sampling's signals have to be notified of each.  This is the last step: a
 * wrapped call by the handler itself, such as mapping a file, would take it for its own. */
static uint64_t notify_wrappers(ucontext_t *context, const struct sampler_call *call)
{
	uint64_t *mask = (uint64_t *)(void *)&context->uc_sigmask;
	struct unwind_registers registers;

	unwind_from_context(context, &registers);
	kymo_wait_noticed((uintptr_t)registers.sp, mask, call->is_behind);
	if (call->is_interrupted && kymo_thread_current)
		kymo_thread_current->interruptions++;
	return *mask;
}

struct delivery {
	unsigned index; /* of the kind */
	struct sampler_scratch *scratch;
	void *context;
};

static void deliver(void *argument)
{
	const struct delivery *delivery = argument;
	struct interrupted seen = {.context = delivery->context,
				   .index = delivery->index,
				   .scratch = delivery->scratch};
	struct sampler_thread *self = sampler_self;
	KEEP_ERRNO();
	uint64_t mask;

	sampler_call_decode(delivery->context, self, &seen.call);
	if (self) {
		__atomic_store_n(&self->busy, 1, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&sampler_is_closed, __ATOMIC_RELAXED))
			handler_take(self, &seen);
		__atomic_store_n(&self->busy, 0, __ATOMIC_RELEASE);
	}
	mask = notify_wrappers(delivery->context, &seen.call);
	if (seen.call.is_call && !seen.call.is_behind && kymo_wait_is_over(mask))
		sampler_call_end(delivery->context);
}

/* The stack may have space for little more than the kernel's frame: no function of another
 * library is called on it, which the loader may have to bind first. */
static void handler_on_signal(int signal, siginfo_t *info, void *context)
{
	struct delivery delivery = {.context = context};
	int kind = handler_kind_of(signal, info);

	if (kind < 0) {
		kymo_signal_foreign(signal, info, context);
		return;
	}
	delivery.index = (unsigned)kind;
	delivery.scratch = sampler_scratch_get();
	if (delivery.scratch) {
		sampler_call_on(deliver, &delivery,
				delivery.scratch->stack + sizeof(delivery.scratch->stack));
		sampler_scratch_put(delivery.scratch);
	} else {
		deliver(&delivery);
	}
}

bool sampler_handler_install(void)
{
	return sampler_signals_install(handler_on_signal);
}

/* A sleeping thread is not woken for each sample: the samples that it would have been woken for are
 * written at its next signal.
 *
 * Waking a thread costs many times what its sample does, without new information.  So a thread
 * that was found asleep is woken less often than requested.  That it runs in the meantime is
 * detected by a timer on its CPU clock, with the resolution of a kernel tick: the time that it
 * ran is known then, and all before it was sleep.  A thread that ran undetected is woken at the
 * full rate for a while. */
#include "collectors/sampler/sampler_rest.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_state.h"
#include "collectors/sampler/sampler_stream.h"
#include "collectors/sampler/sampler_timer.h"
#include "format/sample_encode.h"
#include "platform/usage.h"

#define REST_NS	  8000000u  /* between two wake-ups */
#define MISSED_NS 250000u   /* a thread that used so much CPU time in a rest was active */
#define AWAKE	  100u	    /* signals until a thread that ran undetected may rest again */
#define RUN_NS	  64000000u /* CPU time that the statistics of how it runs cover */
#define FILL_MAX  64u	    /* samples for one rest: the program may have been stopped in it */
#define REALTIME  ((unsigned)KYMO_SAMPLE_REALTIME - 1)

void sampler_rest_reset(struct sampler_thread *self)
{
	memset(&self->rest, 0, sizeof(self->rest));
}

/* Write the samples that would have been taken until a time, if recording continued. */
static void rest_fill(struct sampler_thread *self, uint64_t until)
{
	struct sampler_rest *rest = &self->rest;
	const uint64_t span = until > rest->ticks ? until - rest->ticks : 0;
	struct sample_record record = {.kind = KYMO_SAMPLE_REALTIME,
				       .ticks = rest->ticks,
				       .stack = rest->stack,
				       .gil = rest->gil,
				       .has_cpu = true};
	double scale = 1 / self->ns_per_tick;

	if ((double)span * self->ns_per_tick >
	    (double)sampler_plan.kind[REALTIME].period * FILL_MAX)
		scale = (double)span / FILL_MAX / (double)sampler_plan.kind[REALTIME].period;
	for (;;) {
		uint64_t next = sampler_timer_draw(self, sampler_plan.kind[REALTIME].period);

		record.ticks += 1 + (uint64_t)((double)next * scale);
		if (record.ticks >= until)
			return;
		sampler_stream_put(self, &record);
	}
}

static uint64_t ticks_of(const struct sampler_thread *self, uint64_t ns)
{
	return (uint64_t)((double)ns / self->ns_per_tick);
}

/* How long it takes to use so much CPU time: at the share of time it has had when it ran. */
static uint64_t ticks_to_run(const struct sampler_thread *self, uint64_t cpu_ns)
{
	const struct sampler_rest *rest = &self->rest;
	uint64_t alone = ticks_of(self, cpu_ns), likely = 0;

	if (rest->run_cpu_ns)
		likely = (uint64_t)((double)cpu_ns * (double)rest->run_ticks /
				    (double)rest->run_cpu_ns);
	return likely > alone ? likely : alone;
}

/* Between two samples it ran, or was ready to. */
static void rest_add_run(struct sampler_rest *rest, uint64_t ticks, uint64_t cpu_ns)
{
	rest->run_ticks += ticks - rest->ticks;
	rest->run_cpu_ns += cpu_ns - rest->cpu_ns;
	if (rest->run_cpu_ns > RUN_NS) {
		rest->run_ticks /= 2;
		rest->run_cpu_ns /= 2;
	}
}

/* When the sleep at the beginning of the rest was over. */
static uint64_t end_of_sleep(const struct sampler_thread *self, const struct sample_record *record,
			     uint64_t cpu_ns)
{
	const struct sampler_rest *rest = &self->rest;
	uint64_t ran = ticks_to_run(self, cpu_ns > rest->cpu_ns ? cpu_ns - rest->cpu_ns : 0);
	uint64_t span = record->ticks > rest->ticks ? record->ticks - rest->ticks : 0;

	if (self->is_waiting && record->stack == rest->stack)
		return record->ticks;
	if (self->is_waiting) /* in another place, since an unknown time within */
		return rest->ticks + span / 2;
	return rest->ticks + (ran < span ? span - ran : 0);
}

static void rest_end(struct sampler_thread *self, const struct sample_record *record,
		     uint64_t cpu_ns)
{
	struct sampler_rest *rest = &self->rest;
	uint64_t until = end_of_sleep(self, record, cpu_ns);
	struct sample_record last = {.kind = KYMO_SAMPLE_REALTIME,
				     .ticks = until,
				     .stack = rest->stack,
				     .gil = rest->gil,
				     .has_cpu = true};

	rest_fill(self, until);
	if (until > rest->ticks && until < record->ticks)
		sampler_stream_put(self, &last);
	if (self->is_waiting && cpu_ns > rest->cpu_ns + MISSED_NS)
		rest->awake = AWAKE;
}

void sampler_rest_catch_up(struct sampler_thread *self, const struct sample_record *record,
			   uint64_t cpu_ns)
{
	struct sampler_rest *rest = &self->rest;
	bool goes_on = self->begun_ticks <= rest->ticks && rest->ticks <= record->ticks;

	if (record->kind != KYMO_SAMPLE_REALTIME)
		return;
	if (rest->is_on && goes_on)
		rest_end(self, record, cpu_ns);
	else if (rest->awake)
		rest->awake--;
	if (goes_on && !rest->is_on && rest->was_running && !self->is_waiting &&
	    cpu_ns >= rest->cpu_ns)
		rest_add_run(rest, record->ticks, cpu_ns);
	rest->was_running = !self->is_waiting;
	rest->is_on = false;
	rest->has_sample = true;
	rest->stack = record->stack;
	rest->gil = record->gil;
	rest->ticks = record->ticks;
	rest->cpu_ns = cpu_ns;
}

void sampler_rest_flush(struct sampler_thread *state)
{
	struct sampler_rest *rest = &state->rest;
	uint64_t opened, cpu_ns, now;

	if (!rest->is_on || !state->thread || !kymo_sample_admits(state->thread, &opened) ||
	    opened > rest->ticks)
		return;
	rest->is_on = false;
	cpu_ns = usage_clock_ns(sampler_cpu_clock(state->system_id));
	now = kymo_now(state->thread);
	if (cpu_ns >= rest->cpu_ns) /* 0: the thread has ended */
		rest_fill(state, now - ticks_of(state, cpu_ns - rest->cpu_ns));
}

/* Other kinds of samples are in the same stream, ordered by time. */
static bool rest_is_alone(void)
{
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (i != REALTIME && sampler_plan.kind[i].is_on)
			return false;
	return true;
}

/* Set a timer that shows when the thread has run: false if impossible. */
static bool guard(struct sampler_thread *self)
{
	struct sampler_rest *rest = &self->rest;

	if (rest->guard_ns > self->seen_cpu_ns)
		return true;
	if (!rest->has_guard && !rest->has_no_guard)
		rest->has_guard = sampler_guard_new(self, &rest->guard);
	rest->has_no_guard = !rest->has_guard;
	if (rest->has_no_guard)
		return false;
	rest->guard_ns = self->seen_cpu_ns + sampler_plan.kind[REALTIME].period / 2;
	sampler_guard_set(rest->guard, rest->guard_ns);
	return true;
}

void sampler_rest_begin(struct sampler_thread *self, uint64_t *period)
{
	const struct sampler_kind *kind = &sampler_plan.kind[REALTIME];
	struct sampler_rest *rest = &self->rest;

	if (!rest->has_sample || !self->is_waiting || rest->awake || self->has_forked ||
	    !(self->ns_per_tick > 0) || kind->end_ns || kind->period * 2 > REST_NS ||
	    !rest_is_alone() || !guard(self))
		return;
	rest->is_on = true;
	if (*period < REST_NS)
		*period = REST_NS;
}

void sampler_rest_pause(struct sampler_thread *state)
{
	if (state->rest.has_guard)
		sampler_guard_set(state->rest.guard, 0);
	state->rest.guard_ns = 0;
}

void sampler_rest_end(struct sampler_thread *state)
{
	if (state->rest.has_guard)
		syscall(SYS_timer_delete, state->rest.guard);
	state->rest.has_guard = state->rest.has_no_guard = false;
	state->rest.guard_ns = 0;
}

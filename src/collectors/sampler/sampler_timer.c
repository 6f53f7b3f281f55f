/* Sources of a thread's signals: timers and events, armed for one signal at a time.
 *
 * The distance of each signal from the previous one is random, around the period: a program with
 * a periodic behaviour cannot be in step with it.  The distances add up from when each was due,
 * not from when it arrived, so that the rate is the requested one.  The first is at a random
 * time within a period, also in short threads. */
#include "collectors/sampler/sampler_timer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collectors/sampler/sampler_call.h"
#include "collectors/sampler/sampler_event.h"
#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_plan.h"
#include "collectors/sampler/sampler_rest.h"
#include "collectors/sampler/sampler_state.h"
#include "platform/usage.h"

#define NS_PER_SECOND	 1000000000u
#define PERIOD_SHIFT_MAX 8u

/* xorshift64: never 0 unless the state is. */
static uint64_t timer_next_random(struct sampler_thread *self)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return self->random;
}

/* From [0, range). */
static uint64_t random_below(struct sampler_thread *self, uint64_t range)
{
	return (uint64_t)((unsigned __int128)timer_next_random(self) * range >> 64);
}

uint64_t sampler_timer_draw(struct sampler_thread *self, uint64_t period)
{
	if (!sampler_plan.has_jitter)
		return period;
	return period - period / 2 + random_below(self, period | 1);
}

/* As encoded by the kernel. */
clockid_t sampler_cpu_clock(int system_id)
{
	return (clockid_t)(~(unsigned)system_id << 3 | 6);
}

static clockid_t timer_clock_of(enum sampler_engine engine, int system_id)
{
	return engine == SAMPLER_CPU ? sampler_cpu_clock(system_id) : CLOCK_MONOTONIC;
}

/* Timers by system call: the C library's function may take locks and allocate. */
static bool timer_new(clockid_t clock, const struct sampler_kind *kind, int system_id, int *id_out)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = kind->signal};

	event._sigev_un._tid = system_id;
	return sampler_system_call(SYS_timer_create, clock, (long)&event, (long)id_out, 0) == 0;
}

static void timer_set(int id, uint64_t due_ns)
{
	struct itimerspec when = {.it_value = {.tv_sec = (time_t)(due_ns / NS_PER_SECOND),
					       .tv_nsec = (long)(due_ns % NS_PER_SECOND)}};

	sampler_system_call(SYS_timer_settime, id, due_ns ? TIMER_ABSTIME : 0, (long)&when, 0);
}

bool sampler_guard_new(struct sampler_thread *self, int *id_out)
{
	return timer_new(sampler_cpu_clock(self->system_id),
			 &sampler_plan.kind[KYMO_SAMPLE_REALTIME - 1], self->system_id, id_out);
}

void sampler_guard_set(int id, uint64_t due_ns)
{
	timer_set(id, due_ns);
}

static bool begin_event(struct sampler_thread *self, struct sampler_timer *timer,
			const struct sampler_kind *kind)
{
	timer->period = 1 + random_below(self, kind->period);
	timer->id = sampler_event_open(kind, timer->period);
	if (timer->id < 0)
		return false;
	timer->event_id = sampler_event_id(timer->id);
	if (!timer->event_id) {
		close(timer->id);
		return false;
	}
	timer->event_count = 0;
	sampler_event_rearm(timer->id, 0);
	return true;
}

static bool begin_timer(struct sampler_thread *self, struct sampler_timer *timer,
			const struct sampler_kind *kind)
{
	uint64_t now;

	if (!timer_new(timer_clock_of(timer->engine, self->system_id), kind, self->system_id,
		       &timer->id))
		return false;
	now = usage_clock_ns(timer_clock_of(timer->engine, self->system_id));
	if (timer->engine != SAMPLER_CPU && now < kind->start_ns)
		now = kind->start_ns;
	timer->due_ns = now + 1 + random_below(self, kind->period);
	timer_set(timer->id, timer->due_ns);
	return true;
}

static bool timer_begin(struct sampler_thread *self, unsigned index)
{
	const struct sampler_kind *kind = &sampler_plan.kind[index];
	struct sampler_timer *timer = &self->timer[index];

	timer->engine = SAMPLER_NONE;
	timer->period_shift = 0;
	timer->id = -1; /* another thread may fork before it is set */
	if (!kind->is_on || !sampler_threads_has(&kind->threads, self->number))
		return true;
	if (kind->end_ns && self->start_ns >= kind->end_ns)
		return true;
	timer->engine = kind->engine; /* before the first signal, which may arrive at once */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (timer->engine == SAMPLER_EVENT && begin_event(self, timer, kind))
		return true;
	if (timer->engine == SAMPLER_EVENT)
		timer->engine = kind->otherwise;
	if (timer->engine != SAMPLER_NONE && begin_timer(self, timer, kind))
		return true;
	timer->engine = SAMPLER_NONE;
	return false;
}

bool sampler_timers_begin(struct sampler_thread *self)
{
	bool is_whole = true;

	sampler_rest_reset(self);
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		is_whole &= timer_begin(self, i);
	return is_whole;
}

/* If more threads wait than the processors can wake at the rate, their signals are late: these
 * threads are woken less often, until their signals are in time. */
static void adapt(struct sampler_thread *self, struct sampler_timer *timer, uint64_t period,
		  uint64_t now)
{
	uint64_t late = now > timer->due_ns ? now - timer->due_ns : 0;

	if (self->is_waiting && late > period && timer->period_shift < PERIOD_SHIFT_MAX)
		timer->period_shift++;
	else if (timer->period_shift && (late < period / 4 || !self->is_waiting))
		timer->period_shift--;
}

/* Times that have passed are skipped: the program was stopped, or cannot keep up. */
static void timer_next_due(struct sampler_thread *self, struct sampler_timer *timer,
			   uint64_t period, uint64_t now)
{
	if (timer->engine != SAMPLER_CPU)
		adapt(self, timer, period, now);
	if (timer->due_ns > now + 2 * period) /* a rest ended early */
		timer->due_ns = now;
	period <<= timer->period_shift;
	if (timer->engine == SAMPLER_WALL)
		sampler_rest_begin(self, &period);
	timer->due_ns += sampler_timer_draw(self, period);
	if (timer->due_ns <= now)
		timer->due_ns = now + 1 + random_below(self, period);
	timer_set(timer->id, timer->due_ns);
}

void sampler_timer_next(struct sampler_thread *self, unsigned index, uint64_t now_ns)
{
	const struct sampler_kind *kind = &sampler_plan.kind[index];
	struct sampler_timer *timer = &self->timer[index];

	if (kind->end_ns && now_ns >= kind->end_ns)
		return;
	switch (timer->engine) {
	case SAMPLER_NONE:
		break;
	case SAMPLER_EVENT:
		timer->period = sampler_timer_draw(self, kind->period);
		sampler_event_rearm(timer->id, sampler_plan.has_jitter ? timer->period : 0);
		break;
	case SAMPLER_CPU:
		timer_next_due(self, timer, kind->period, usage_clock_ns(CLOCK_THREAD_CPUTIME_ID));
		break;
	case SAMPLER_WALL:
	case SAMPLER_WEIGHTED:
		timer_next_due(self, timer, kind->period, now_ns);
		break;
	}
}

void sampler_timers_end(struct sampler_thread *state)
{
	sampler_rest_end(state);
	for (unsigned i = 0; i < SAMPLER_KINDS; i++) {
		struct sampler_timer *timer = &state->timer[i];
		enum sampler_engine engine = timer->engine;

		timer->engine = SAMPLER_NONE; /* first: another thread may fork concurrently */
		if (engine == SAMPLER_EVENT)
			sampler_event_close(timer);
		else if (engine != SAMPLER_NONE)
			syscall(SYS_timer_delete, timer->id);
	}
}

void sampler_timers_pause(struct sampler_thread *state)
{
	sampler_rest_pause(state);
	for (unsigned i = 0; i < SAMPLER_KINDS; i++) {
		struct sampler_timer *timer = &state->timer[i];

		if (timer->engine == SAMPLER_EVENT)
			sampler_event_stop(timer->id);
		else if (timer->engine != SAMPLER_NONE)
			timer_set(timer->id, 0);
	}
}

/* A time on the clock of another thread that has passed expires at once. */
void sampler_timers_resume(struct sampler_thread *state)
{
	for (unsigned i = 0; i < SAMPLER_KINDS; i++) {
		struct sampler_timer *timer = &state->timer[i];

		if (timer->engine == SAMPLER_EVENT)
			sampler_event_rearm(timer->id, 0);
		else if (timer->engine != SAMPLER_NONE)
			timer_set(timer->id, timer->due_ns);
	}
}

void sampler_timers_move(struct sampler_thread *state)
{
	sampler_rest_end(state);
	for (unsigned i = 0; i < SAMPLER_KINDS; i++) {
		const struct sampler_kind *kind = &sampler_plan.kind[i];
		struct sampler_timer *timer = &state->timer[i];

		if (timer->engine == SAMPLER_EVENT) {
			if (sampler_event_is_open(timer))
				fcntl(timer->id, F_SETSIG, kind->signal);
		} else if (timer->engine != SAMPLER_NONE) {
			syscall(SYS_timer_delete, timer->id);
			if (!timer_new(timer_clock_of(timer->engine, state->system_id), kind,
				       state->system_id, &timer->id))
				timer->engine = SAMPLER_NONE;
		}
	}
}

void sampler_timers_forget(struct sampler_thread *self)
{
	for (unsigned i = 0; i < SAMPLER_KINDS; i++) {
		if (self->timer[i].engine == SAMPLER_EVENT)
			sampler_event_close(&self->timer[i]);
		self->timer[i].engine = SAMPLER_NONE;
	}
}

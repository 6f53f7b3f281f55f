/* Timers and performance events: signals after a time or a number of events. */
#ifndef KYMO_SAMPLER_TIMER_H
#define KYMO_SAMPLER_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct sampler_thread;

/* Arm all timers of the plan for the calling thread.  False: one is not available. */
bool sampler_timers_begin(struct sampler_thread *self);
/* Arm the next signal of a kind, from within its handler. */
void sampler_timer_next(struct sampler_thread *self, unsigned kind, uint64_t now_ns);
/* Delete them, in any thread's state. */
void sampler_timers_end(struct sampler_thread *state);
/* Stop its signals until they are resumed; resume them. */
void sampler_timers_pause(struct sampler_thread *state);
void sampler_timers_resume(struct sampler_thread *state);
/* Make those of a kind, in any thread's state, send its current signal. */
void sampler_timers_move(struct sampler_thread *state);
/* A forked child has no timers, but copies of descriptors. */
void sampler_timers_forget(struct sampler_thread *self);

/* A random distance between two signals, around the period.  Context: signal. */
uint64_t sampler_timer_draw(struct sampler_thread *self, uint64_t period);
/* A timer on the calling thread's CPU clock, not armed, with the signal of realtime samples. */
bool sampler_guard_new(struct sampler_thread *self, int *id_out);
void sampler_guard_set(int id, uint64_t due_ns); /* 0 = never */
/* The CPU clock of any thread of the process. */
clockid_t sampler_cpu_clock(int system_id);

#endif

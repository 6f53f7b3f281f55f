/* Events of the kernel and the processor that send a signal when they overflow: each is armed for
 * one overflow, and again by the handler.  Descriptors are the caller's.  Context: signal, but for
 * what says otherwise. */
#ifndef KYMO_SAMPLER_EVENT_H
#define KYMO_SAMPLER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct sampler_event;
struct sampler_kind;
struct sampler_timer;

/* The event by its name, as PAPI and the kernel have it; false: unknown.  Context: init. */
bool sampler_event_find(const char *name, struct sampler_event *out);
/* A descriptor of the event in the calling thread, with its signal; -1: there is none, or none
 * that leaves half of them to the program, or time would not be seen in the kernel.
 * Context: thread. */
int sampler_event_open(const struct sampler_kind *kind, uint64_t period);
/* Whether it can be had, and sees what the kernel does for the thread.  Context: init. */
bool sampler_event_probe(const struct sampler_event *event, bool *sees_kernel_out);
/* Have it overflow once more; period 0 = as before. */
void sampler_event_rearm(int descriptor, uint64_t period);
void sampler_event_stop(int descriptor);
uint64_t sampler_event_count(int descriptor);
uint64_t sampler_event_id(int descriptor);
/* A program may close all descriptors there are, and get the number for a file of its own. */
bool sampler_event_is_open(const struct sampler_timer *timer);
void sampler_event_close(const struct sampler_timer *timer);

#endif

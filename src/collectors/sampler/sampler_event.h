/* Events of the kernel and the processor that send a signal when they overflow: each is armed
 * for one overflow, and again by the handler.  Descriptors are the caller's.  Context: signal,
 * unless stated otherwise. */
#ifndef KYMO_SAMPLER_EVENT_H
#define KYMO_SAMPLER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct sampler_event;
struct sampler_kind;
struct sampler_timer;

/* The event by its name in PAPI and the kernel; false: unknown.  Context: init. */
bool sampler_event_find(const char *name, struct sampler_event *out);
/* A descriptor of the event in the calling thread, with its signal; -1: not available, or not
 * without using half of the program's descriptors, or time in the kernel would not be counted.
 * Context: thread. */
int sampler_event_open(const struct sampler_kind *kind, uint64_t period);
/* Whether it is available, and counts in the kernel.  Context: init. */
bool sampler_event_probe(const struct sampler_event *event, bool *sees_kernel_out);
/* Arm it for one more overflow; period 0 = as before. */
void sampler_event_rearm(int descriptor, uint64_t period);
void sampler_event_stop(int descriptor);
uint64_t sampler_event_count(int descriptor);
uint64_t sampler_event_id(int descriptor);
/* A program may close all descriptors, and get the number for a file of its own. */
bool sampler_event_is_open(const struct sampler_timer *timer);
void sampler_event_close(const struct sampler_timer *timer);

#endif

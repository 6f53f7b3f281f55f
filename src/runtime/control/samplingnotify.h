/* Notifies the sampling collector of events of threads and of the recording.  Does nothing if
 * there is no such collector. */
#ifndef KYMO_SAMPLINGNOTIFY_H
#define KYMO_SAMPLINGNOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct kymo_thread;

/* The calling thread has its state; it is about to end.  No lock is held. */
void sampling_notify_begin(struct kymo_thread *thread);
void sampling_notify_end(struct kymo_thread *thread);
/* The calling thread is about to fork; it has forked, and is the parent's. */
void sampling_notify_forking(bool is_begun);
/* See kymo_thread_listener.replacing. */
void sampling_notify_replacing(bool is_begun);
/* See kymo_thread_listener.limiting. */
void sampling_notify_limiting(void);
/* In a forked child, before anything is recorded there. */
void sampling_notify_fork(bool is_recorded);
/* See kymo_thread_listener.closing.  The store's lock is not held. */
void sampling_notify_closing(bool is_closing);

/* True if a signal handler makes a forked child's recording. */
bool sampling_is_resuming(void);

/* KYMO_HEADER_SAMPLES if the process is sampled. */
uint32_t sampling_header_flag(void);

#endif

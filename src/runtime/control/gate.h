/* Switching the recording of this process off and on: by the program, by `kymo ctl` from
 * outside, by time windows and by selected regions.  It records when none of them forbids it.
 * The gate word in the header (format/gateword.h) has the state.  Each thread closes its own
 * open regions, as of the time of the change, at its next event. */
#ifndef KYMO_GATE_H
#define KYMO_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kymo_thread;
struct problem;
struct settings;

/* Read the settings; 0, or KYMO_USAGE with the problem.  Context: init. */
int gate_configure(const struct settings *settings, struct problem *problem);
/* The recording has begun and has its name: start the time windows; do not record if the run was
 * stopped from outside.  Context: init. */
void gate_open(void);

/* Switch recording on or off for the program.  False if there is no recording.  Context: thread. */
bool gate_switch(bool is_on);
/* Add or remove a cause KYMO_GATE_BY_* now.  The lock is held. */
void gate_cause(uint32_t cause, bool is_off);

/* True if recording is on at now, ticks; *since_out is when it was last switched, 0 = never.
 * Context: any. */
bool gate_is_open(uint64_t now, uint64_t *since_out);
/* True if recording is on now, for callers without a thread state. */
bool gate_is_on(void);
/* Minimum time from now on, ns, for which a time window keeps recording off; 0 = none does,
 * UINT64_MAX = for ever.  Takes no lock. */
uint64_t gate_shut_ns(void);

/* A new thread starts with the current state of recording.  The lock is held. */
void gate_begin_thread(struct kymo_thread *thread);
/* Apply the changes up to now; between user_acquire() and user_release(). */
void gate_follow(struct kymo_thread *thread);
/* The same for a thread that no longer writes, up to the change last.  The lock is held. */
void gate_catch_up(struct kymo_thread *thread, uint32_t last);
/* The latest change as of now.  The lock is held. */
uint32_t gate_latest(void);
/* The recording ends: make every thread check the gate, and be refused.  Returns the latest
 * change before. */
uint32_t gate_shut(void);

/* Around a fork, with the lock held: the child's recording starts in the state that its parent's
 * had.  before is the forking thread's state; NULL = none. */
void gate_fork_before(void);
void gate_fork_child(const struct kymo_thread *before);

#endif

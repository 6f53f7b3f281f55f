/* Switching the recording of this process off and on: by the program, by `kymo ctl` from outside,
 * by time windows and by selected regions.  It records when none of them forbids it.  The word in
 * the header (format/gateword.h) has the state.  Each thread closes its own open regions, as of the
 * time of the change, at its next event. */
#ifndef KYMO_GATE_H
#define KYMO_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kymo_thread;
struct problem;
struct settings;

/* Take over the settings; 0, or KYMO_USAGE with the problem.  Context: init. */
int gate_configure(const struct settings *settings, struct problem *problem);
/* The recording has begun and has its name: windows begin, and a run that was stopped from
 * outside is not recorded.  Context: init. */
void gate_open(void);

/* The program says: record nothing from now on, or record again.  False when there is no
 * recording.  Context: thread. */
bool gate_switch(bool is_on);
/* Add or take away a cause KYMO_GATE_BY_* now.  The lock is held. */
void gate_cause(uint32_t cause, bool is_off);

/* True when recording is switched on as of now, ticks; *since_out is when it was last switched,
 * 0 = never.  Context: any. */
bool gate_is_open(uint64_t now, uint64_t *since_out);
/* True when recording is switched on now, for those that have no thread's state. */
bool gate_is_on(void);
/* How long a time window surely keeps it off from now on, ns; 0 = none does, UINT64_MAX = for
 * ever.  Takes no lock. */
uint64_t gate_shut_ns(void);

/* thread is new and begins with recording as it is now.  The lock is held. */
void gate_begin_thread(struct kymo_thread *thread);
/* Follow the changes up to now, from between user_take() and user_give(). */
void gate_follow(struct kymo_thread *thread);
/* The same for any thread that writes no more, up to the change last.  The lock is held. */
void gate_catch_up(struct kymo_thread *thread, uint32_t last);
/* The change that is the latest as of now.  The lock is held. */
uint32_t gate_latest(void);
/* The recording ends: have every thread ask, and get no.  The latest change before. */
uint32_t gate_shut(void);

/* Around a fork, the lock is held: the child's recording begins as its parent's was then.
 * before is the forking thread's state; NULL = none. */
void gate_fork_before(void);
void gate_fork_child(const struct kymo_thread *before);

#endif

/* Where threads are: the times of KYMO_MODE_POSITIONS, `--timing sampled`.
 *
 * Enters and leaves count and read no clock.  One helper (positions_helper.h) samples about a
 * thousand times a second at the innermost open node of every thread and adds the time since its
 * last sample of that thread, the weight, to that node.  It takes no lock and stops nobody: a
 * thread that ends while it is sampled may leave the rest to the helper.  So the weights of a
 * thread's nodes add up to the thread's time exactly; what is left at its end counts where it was
 * seen last.
 *
 * Slots are never freed; nodes are written by the helper, and by the thread that ends it. */
#ifndef KYMO_POSITIONS_H
#define KYMO_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kymo_thread;

/* thread begins, at its root.  Where memory is short it is not sampled, and all its time is its
 * root's.  The lock is held. */
void position_begin(struct kymo_thread *thread, uint64_t ticks);
/* It began earlier than that: in a forked child, before it is sampled. */
void position_began(struct kymo_thread *thread, uint64_t ticks);
/* It is about to end: no sample begins from here on, so that none is later than its end. */
void position_leave(struct kymo_thread *thread);
/* It ended as of ticks, and its state may be used for another.  Nothing where it has not begun. The
 * lock is held. */
void position_end(struct kymo_thread *thread, uint64_t ticks);

/* Look at every thread as of ticks, of which none is earlier than those before.  gate: the number
 * of header.gate now: where a thread is counts only while it has followed that, and recording is
 * on; else its time is in no region.  How many were seen.  By one thread at a time. */
size_t positions_look(uint64_t ticks, uint32_t gate);

/* All threads' states go out of use (threads_detach()); nothing is sampled. */
void positions_forget(void);

#endif

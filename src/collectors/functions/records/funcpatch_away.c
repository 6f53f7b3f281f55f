/* Pre-emption between two records.
 *
 * If each time between two records was measured, the result is for that time alone.  Between two
 * measurements there may be many records, and the result is for all that time.  For a time so
 * long without a record that it is measured, it is the part beyond that of frequent short
 * switches, such as those to the thread that advances the clock: these occur everywhere, and
 * stay in the times.  The clock of COARSE is late while others have the processor: what does not
 * fit into a gap is in the next ones. */
#include "collectors/functions/records/funcpatch_away.h"

#include "collectors/functions/counts/funcpatch_switched.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "platform/ticks.h"
#include "runtime/control/sampling.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/lifecycle.h"

#define LONG_TICKS (PATCH_PAUSE_TICKS / 2)
#define SHARE_BITS 16

/* Only if the thread's waits are known; a program that has restricted its system calls may be
 * killed by one. */
static bool can_measure(const struct funcpatch_thread *self)
{
	return self->thread->has_waits && !kymo_runtime_is_restricted();
}

/* If a measurement takes much of the time that it measures (slow system calls, a single-stepped
 * program), most are skipped: what is not measured stays in the times. */
static void away_read(void *thread)
{
	struct funcpatch_thread *self = thread;

	if (can_measure(self) && switched_is_due(&self->away.switched, ticks_now()))
		switched_read(&self->away.switched);
}

void funcpatch_away_begin(struct funcpatch_thread *self)
{
	self->away = (struct funcpatch_away){0};
	kymo_sample_waits(self->thread);
	away_read(self);
}

/* Of ticks, those of short switches. */
static uint64_t ticks_of_short_switches(const struct funcpatch_away *away, uint64_t ticks)
{
	uint64_t share = 0;

	if (away->looked >> SHARE_BITS)
		share = away->short_switches / (away->looked >> SHARE_BITS);
	return (ticks >> SHARE_BITS) * share;
}

/* Of the pre-emption since the previous measurement, since ticks ago: the part that may be in
 * the latest gap. */
static uint64_t away_long(struct funcpatch_away *away, uint64_t off, uint64_t since,
			  uint64_t elapsed)
{
	uint64_t short_switches;

	/* There was no other time, or most of it was pre-emption: short switches never take so
	 * much. */
	if (since - elapsed / 2 <= elapsed || off >= since / 2)
		return off;
	short_switches = ticks_of_short_switches(away, since);
	if (off >= short_switches + LONG_TICKS)
		return off - short_switches;
	away->short_switches += off;
	away->looked += since;
	return 0;
}

uint64_t funcpatch_away_measure(struct funcpatch_thread *self, uint64_t elapsed)
{
	struct funcpatch_away *away = &self->away;
	uint64_t since = away->switched.ticks, before = away->switched.off_ticks, off;

	funcpatch_call_kept(away_read, self);
	if (since == 0 || away->switched.ticks <= since)
		return 0;
	since = away->switched.ticks - since;
	off = away->switched.off_ticks - before;
	away->is_crowded = off > 0;
	off = away->owed + away_long(away, off, since, elapsed);
	away->owed = elapsed != 0 && off > elapsed ? off - elapsed : 0;
	return off - away->owed;
}

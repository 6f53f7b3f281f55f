/* How long a thread was ready to run without a processor, from the kernel's counters.  The time
 * between two readings is known in ticks, the CPU time in it in nanoseconds: the same time in
 * nanoseconds converts one into the other. */
#include "collectors/functions/counts/funcpatch_switched.h"

#include <sys/resource.h>
#include <time.h>

#include "base/keeperrno.h"
#include "platform/ticks.h"
#include "platform/usage.h"

/* Of an interval in ticks, the part in which the thread did not run. */
static uint64_t off_part(uint64_t ticks, uint64_t wall_ns, uint64_t used_ns)
{
	if (wall_ns == 0 || used_ns >= wall_ns)
		return 0;
	return (uint64_t)((double)ticks * (double)(wall_ns - used_ns) / (double)wall_ns);
}

static void switched_read_once(struct switched *switched)
{
	struct switched now = *switched;
	uint64_t start = ticks_now(), ticks;
	struct rusage usage;
	KEEP_ERRNO(); /* of a sandbox that refuses it */

	if (getrusage(RUSAGE_THREAD, &usage) != 0)
		return;
	ticks = ticks_now();
	now.wall_ns = usage_clock_ns(CLOCK_MONOTONIC);
	/* The CPU time of getrusage() may be old by a kernel tick. */
	now.used_ns = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	now.voluntary = (uint64_t)usage.ru_nvcsw;
	now.forced = (uint64_t)usage.ru_nivcsw;
	if (switched->ticks != 0 && now.forced != switched->forced &&
	    now.voluntary == switched->voluntary)
		now.off_ticks += off_part(ticks - switched->ticks, now.wall_ns - switched->wall_ns,
					  now.used_ns - switched->used_ns);
	switched_pay(&now, start, ticks_now() - start);
	now.ticks = ticks;
	*switched = now;
}

void switched_read(struct switched *switched)
{
	bool is_first = switched->cost_ticks == 0;

	for (uint32_t i = 0; i < (is_first ? SWITCHED_FIRST : 1); i++)
		switched_read_once(switched);
	if (is_first)
		switched->off_ticks = 0; /* nothing is timed yet */
}

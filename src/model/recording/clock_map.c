/* Ticks to nanoseconds, by the recording's calibration pairs. Between two pairs time is
 * interpolated linearly; outside of them it is extrapolated at the mean rate.  Rounding never makes
 * a later tick come out earlier. */
#include <math.h>

#include "base/partitionpoint.h"

#include "model/recording/clock_map.h"

#define NS_MAX		((double)INT64_MAX / 2)
/* Reading a pair is uncertain by some 100 ns; a rate that may be off by more than 0.1 % is worth a
 * warning. */
#define BASELINE_MIN_NS 100000u

static bool is_usable_after(const struct kymo_clock_pair *last, const struct kymo_clock_pair *pair)
{
	return pair->ticks > last->ticks && pair->monotonic_ns > last->monotonic_ns;
}

/* Keep the pairs that are in order. */
static uint32_t keep_pairs(struct kymo_clock_pair *pairs, uint32_t count)
{
	uint32_t kept = 1;

	for (uint32_t i = 1; i < count; i++) {
		if (!is_usable_after(&pairs[kept - 1], &pairs[i]))
			continue;
		pairs[kept++] = pairs[i];
		/* If the wall clock was set back meanwhile, it stands still. */
		if (pairs[kept - 1].realtime_ns < pairs[kept - 2].realtime_ns)
			pairs[kept - 1].realtime_ns = pairs[kept - 2].realtime_ns;
	}
	return kept;
}

/* Ticks of these clocks are nanoseconds, apart from adjustments by NTP. */
static bool counts_ns(const struct kymo_header *header)
{
	return header->clock_kind == KYMO_CLOCK_MONOTONIC ||
	       header->clock_kind == KYMO_CLOCK_MONOTONIC_RAW;
}

/* If the process did not close its recording, another one may have recorded its end. */
static void add_heartbeat(struct kymo_header *header)
{
	if (header->state == KYMO_STATE_CLOSED || header->heartbeat.ticks == 0)
		return;
	if (header->pair_count == KYMO_CLOCK_PAIRS)
		header->pair_count--;
	header->pairs[header->pair_count++] = header->heartbeat;
}

const char *clock_map_prepare(struct kymo_header *header)
{
	const char *problem = NULL;

	if (header->pair_count > KYMO_CLOCK_PAIRS) {
		header->pair_count = KYMO_CLOCK_PAIRS;
		problem = "too many clock calibrations";
	}
	if (header->pair_count == 0) {
		header->pairs[0] = (struct kymo_clock_pair){
			.ticks = header->start_ticks,
			.monotonic_ns = counts_ns(header) ? header->start_ticks : 0,
			.realtime_ns = header->start_realtime_ns,
		};
		header->pair_count = 1;
	}
	add_heartbeat(header);
	header->pair_count = keep_pairs(header->pairs, header->pair_count);
	if (counts_ns(header))
		return problem;
	if (header->pair_count < 2)
		return "the clock was not calibrated; times are in ticks";
	if (header->pairs[header->pair_count - 1].monotonic_ns - header->pairs[0].monotonic_ns <
	    BASELINE_MIN_NS)
		return "the clock was calibrated for an instant only; times may be far off";
	return problem;
}

double recording_tick_ns(const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;
	const struct kymo_clock_pair *first = &header->pairs[0];
	const struct kymo_clock_pair *last = &header->pairs[header->pair_count - 1];

	if (header->clock_kind == KYMO_CLOCK_MONOTONIC || header->pair_count < 2)
		return 1.0;
	return (double)(last->monotonic_ns - first->monotonic_ns) /
	       (double)(last->ticks - first->ticks);
}

enum wall { WALL_MONOTONIC, WALL_REALTIME };

static uint64_t pair_ns(const struct kymo_clock_pair *pair, enum wall wall)
{
	return wall == WALL_MONOTONIC ? pair->monotonic_ns : pair->realtime_ns;
}

/* base + distance * rate, inside the range of the type. */
static uint64_t ns_forward(uint64_t base, uint64_t distance, double rate)
{
	double ns = fmin((double)distance * rate, NS_MAX);

	return base > UINT64_MAX - (uint64_t)ns ? UINT64_MAX : base + (uint64_t)ns;
}

static uint64_t ns_backward(uint64_t base, uint64_t distance, double rate)
{
	double ns = fmin((double)distance * rate, NS_MAX);

	return base < (uint64_t)ns ? 0 : base - (uint64_t)ns;
}

/* Index of the last pair that is not after ticks; the first when all are. */
static uint32_t pair_before(const struct kymo_header *header, uint64_t ticks)
{
	uint32_t after =
		(uint32_t)partition_point(header->pair_count, i, header->pairs[i].ticks <= ticks);

	return after ? after - 1 : 0;
}

static uint64_t wall_ns(const struct recording *recording, uint64_t ticks, enum wall wall)
{
	const struct kymo_header *header = &recording->header;
	uint32_t before = pair_before(header, ticks);
	const struct kymo_clock_pair *from = &header->pairs[before];
	const struct kymo_clock_pair *to = from + 1;
	uint64_t ns;

	if (ticks < from->ticks)
		return ns_backward(pair_ns(from, wall), from->ticks - ticks,
				   recording_tick_ns(recording));
	if (before + 1 == header->pair_count)
		return ns_forward(pair_ns(from, wall), ticks - from->ticks,
				  recording_tick_ns(recording));
	ns = ns_forward(pair_ns(from, wall), ticks - from->ticks,
			(double)(pair_ns(to, wall) - pair_ns(from, wall)) /
				(double)(to->ticks - from->ticks));
	return ns < pair_ns(to, wall) ? ns : pair_ns(to, wall);
}

uint64_t recording_monotonic_ns(const struct recording *recording, uint64_t ticks)
{
	return wall_ns(recording, ticks, WALL_MONOTONIC);
}

uint64_t recording_realtime_ns(const struct recording *recording, uint64_t ticks)
{
	return wall_ns(recording, ticks, WALL_REALTIME);
}

int64_t recording_ns(const struct recording *recording, uint64_t ticks)
{
	uint64_t start = recording_monotonic_ns(recording, recording->header.start_ticks);
	uint64_t ns = recording_monotonic_ns(recording, ticks);

	if (ns >= start)
		return ns - start > INT64_MAX ? INT64_MAX : (int64_t)(ns - start);
	return start - ns > INT64_MAX ? INT64_MIN : -(int64_t)(start - ns);
}

uint64_t recording_thread_ns(const struct recording *recording, uint32_t number)
{
	const struct thread *thread = &recording->threads[number];
	uint64_t end = thread->end_ticks ? thread->end_ticks : recording->end_ticks;
	int64_t ns = recording_ns(recording, end) - recording_ns(recording, thread->start_ticks);

	return ns > 0 ? (uint64_t)ns : 0;
}

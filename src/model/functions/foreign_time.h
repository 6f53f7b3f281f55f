/* Time of a thread that is not the program's, from marks between its records (docs/format.md,
 * section 13): others had the processor, or Kymo itself ran.  All times are ticks and never
 * decrease.  Belongs to one thread, used by one reader. */
#ifndef KYMO_FOREIGN_TIME_H
#define KYMO_FOREIGN_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "model/functions/function_reader.h"

struct foreign_ticks {
	uint64_t away, own;
};

struct foreign_time {
	bool keeps_own;		       /* times include Kymo's own work */
	struct foreign_ticks read;     /* of the current chunk */
	struct foreign_ticks pending;  /* read but not yet subtracted from elapsed time */
	struct foreign_ticks left_out; /* of all times from here on */
	uint64_t own_total;	       /* all marks of Kymo's own work */
	uint64_t latest;	       /* the time processed so far */
};

/* start: of the thread. */
static inline struct foreign_time foreign_time_begin(uint64_t start, bool keeps_own)
{
	return (struct foreign_time){.keeps_own = keeps_own, .latest = start};
}

/* Take over the marks read since the last call. */
static inline void foreign_time_read_marks(struct foreign_time *time,
					   const struct function_events_reader *reader)
{
	struct foreign_ticks *read = &time->read;

	if (__builtin_expect(read->away == reader->away && read->own == reader->own, 1))
		return;
	time->pending.away += reader->away - read->away;
	time->own_total += reader->own - read->own;
	if (!time->keeps_own)
		time->pending.own += reader->own - read->own;
	*read = (struct foreign_ticks){reader->away, reader->own};
}

/* The next chunk has a reader of its own; call foreign_time_read_marks() at the end of the one
 * before. */
static inline void foreign_time_begin_chunk(struct foreign_time *time)
{
	time->read = (struct foreign_ticks){0, 0};
}

static inline uint64_t foreign_time_take(uint64_t *pending, uint64_t *left_out, uint64_t most)
{
	uint64_t ticks = *pending < most ? *pending : most;

	*pending -= ticks;
	*left_out += ticks;
	return most - ticks;
}

/* Advance to ticks: pending foreign time is subtracted, up to the time elapsed. */
static inline void foreign_time_pass(struct foreign_time *time, uint64_t ticks)
{
	uint64_t elapsed = ticks > time->latest ? ticks - time->latest : 0;

	time->latest += elapsed;
	if (__builtin_expect((time->pending.away | time->pending.own) == 0, 1))
		return;
	elapsed = foreign_time_take(&time->pending.away, &time->left_out.away, elapsed);
	(void)foreign_time_take(&time->pending.own, &time->left_out.own, elapsed);
}

/* Advance to a record.  The rest of Kymo's own work stays pending for the next, since a coarse
 * clock ticks later; preemption belongs to the time before this record alone. */
static inline void foreign_time_pass_record(struct foreign_time *time, uint64_t ticks)
{
	foreign_time_pass(time, ticks);
	time->pending.away = 0;
}

static inline uint64_t foreign_time_left_out(const struct foreign_time *time)
{
	return time->left_out.away + time->left_out.own;
}

#endif

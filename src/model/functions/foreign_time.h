/* Time of a thread that is not the program's, as marks between its records tell (docs/format.md,
 * section 13): others had the processor, or Kymo itself was at work.  All times are ticks; they
 * never go back.  One thread's, used by one reader. */
#ifndef KYMO_FOREIGN_TIME_H
#define KYMO_FOREIGN_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "model/functions/function_reader.h"

struct foreign_ticks {
	uint64_t away, own;
};

struct foreign_time {
	bool keeps_own;		       /* times are wanted with Kymo's own work */
	struct foreign_ticks read;     /* from the chunk at hand */
	struct foreign_ticks pending;  /* and not found in time that went by yet */
	struct foreign_ticks left_out; /* of all times from here on */
	uint64_t own_total;	       /* all that was told of Kymo's own work */
	uint64_t latest;	       /* the time up to which it is known */
};

/* start: of the thread. */
static inline struct foreign_time foreign_time_begin(uint64_t start, bool keeps_own)
{
	return (struct foreign_time){.keeps_own = keeps_own, .latest = start};
}

/* What marks have told since the reader was asked before. */
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

/* The next chunk has a reader of its own; the one before was asked at its end. */
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

/* Time goes by until ticks: what was told is left out of it, as far as there is so much. */
static inline void foreign_time_pass(struct foreign_time *time, uint64_t ticks)
{
	uint64_t elapsed = ticks > time->latest ? ticks - time->latest : 0;

	time->latest += elapsed;
	if (__builtin_expect((time->pending.away | time->pending.own) == 0, 1))
		return;
	elapsed = foreign_time_take(&time->pending.away, &time->left_out.away, elapsed);
	(void)foreign_time_take(&time->pending.own, &time->left_out.own, elapsed);
}

/* Likewise, until a record.  More of Kymo's own work is left for the next, since a coarse clock
 * goes on later; what others had is of the time before this one alone. */
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

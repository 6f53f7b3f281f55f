/* Additional records of merged and imported recordings: parts, totals, estimates and shares. */
#ifndef KYMO_FORMAT_MERGED_H
#define KYMO_FORMAT_MERGED_H

#include <stdint.h>

struct kymo_part {    /* PARTS payload; number = chunk.base + index: a thread that was merged */
	uint64_t run; /* string references, 0 = unknown: name of the run's folder */
	uint64_t program;
	uint64_t host;
	uint64_t thread_name;
	uint8_t run_id[16];
	uint32_t pid;
	uint32_t thread;	    /* its number in its recording */
	int32_t rank;		    /* of MPI, -1 = none */
	uint32_t flags;		    /* KYMO_PART_* */
	uint64_t start_realtime_ns; /* of its recording */
	uint64_t duration_ns;	    /* of the thread */
	uint64_t cpu_ns;	    /* likewise, 0 = unknown */
	uint64_t outside_ns;	    /* in no recorded region */
	/* Missing in recordings whose records are shorter. */
	uint64_t measuring_ns; /* subtracted from the times of calls */
	uint64_t process_ns;   /* duration of its recording */
};
_Static_assert(sizeof(struct kymo_part) == 112, "part record");
#define KYMO_PART_LEAST 96u /* bytes of the shortest record */

/* For flags of parts. */
#define KYMO_PART_COMPLETE 1u /* the last three times are known, and what of shares is work */
#define KYMO_PART_IDLE	   2u /* sampled: it never stopped waiting */

#define KYMO_TOTAL_OF_REGION UINT32_MAX /* for caller: all callers */

/* TOTALS payload: the values of a region, or of the calls of it by one caller, in the source of
 * an imported recording, independent of the call paths.  Those of the same three numbers add up. */
struct kymo_total {
	uint32_t thread;
	uint32_t region;
	uint32_t caller; /* a region, or KYMO_TOTAL_OF_REGION */
	uint32_t reserved;
	uint64_t count;
	uint64_t primitive_count; /* calls while it was not open already */
	uint64_t self_ns;
	uint64_t total_ns; /* of outermost visits */
};
_Static_assert(sizeof(struct kymo_total) == 48, "total record");

/* With a probability of 95 % the error is at most off plus the root of squares: independent
 * errors add up as squares, systematic ones linearly.  Integers, so that the order of addition
 * does not matter. */
struct kymo_error {
	uint64_t off;
	uint64_t squares, squares_high; /* bits 0-63, 64-127 */
};

enum kymo_error_of {
	KYMO_TOTAL_BELOW, /* ns */
	KYMO_TOTAL_ABOVE,
	KYMO_SELF_BELOW,
	KYMO_SELF_ABOVE,
	KYMO_CALLS_BELOW, /* calls */
	KYMO_CALLS_ABOVE,
	KYMO_ERRORS
};

/* For flags. */
#define KYMO_ESTIMATE_OF_TIME	  1u /* the times are estimates, not the calls alone */
#define KYMO_ESTIMATE_CALLS_KNOWN 2u /* the times alone: calls are exact, by path, too */

/* ESTIMATES payload: the possible error of a counted function in flat tables, or of the calls of
 * it by one caller.  Those of the same thread, region and caller add up. */
struct kymo_estimate {
	uint32_t thread;
	uint32_t region;
	uint32_t caller; /* a region, or KYMO_TOTAL_OF_REGION */
	uint32_t flags;	 /* KYMO_ESTIMATE_* */
	struct kymo_error errors[KYMO_ERRORS];
	/* Sum of the squares of the possible calls by a caller of which none was seen: of a
	 * region in all processes, of a caller in those in which it was seen. */
	uint64_t unseen, unseen_high;
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct kymo_estimate) == 192, "estimate record");

/* SHARES payload: records of unsigned LEB128 numbers, one after the other:
 *   number   region id less that of the record before, times 2, plus 1: another part begins
 *   [number] then: part less that of the record before
 *   number   enters
 *   number   own nanoseconds
 *   number   nanoseconds of outermost visits, less the own ones
 * A chunk begins with part chunk.base and region 0, a part with region 0. */
#define KYMO_SHARE_RECORD_MAX 50u

/* WORK payload: records like those of SHARES, with enters 0 and nanoseconds of work, in the same
 * order.  A share without a record here is all work. */

#endif

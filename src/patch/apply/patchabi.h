/* What trampolines and the collector that serves them have in common: where a thread's state
 * lies, what is in the page that trampolines read, and the records that they write.
 *
 * Trampolines are machine code that is made once for a file (plan.h) and used by many
 * processes, so nothing of a process is in it: they find everything through the vector, a
 * page at a fixed distance from them.  docs/patch.md tells the whole story.
 *
 * Context: any.  Nothing here allocates or calls. */
#ifndef KYMO_PATCHABI_H
#define KYMO_PATCHABI_H

#include <stdint.h>

#include "patch/apply/patchcpu.h"

/* What a call costs, and so what the trampolines of a plan do: the user's choice. */
enum patch_cost {
	PATCH_COST_COUNTS = 1, /* every call is counted, a random subset is timed */
	PATCH_COST_COARSE = 2, /* records, on a clock that a helper moves on */
	PATCH_COST_FULL = 3,   /* records, each with the processor's counter */
};

/* state while nothing but the trampolines' own work may happen: the stack pointer of the one
 * that is at work.  A signal handler that comes in between finds it, passes by, and is
 * counted; one that finds a lower address than its own stack pointer found what a jump left. */
#define PATCH_STATE_READY  0u
#define PATCH_STATE_NEW	   1u  /* the collector has not seen this thread yet */
#define PATCH_STATE_INSIDE 2u  /* it is at work in Kymo, which is not recorded */
#define PATCH_STATE_OUT	   3u  /* nothing is recorded of it any more */
#define PATCH_STATE_MAX	   15u /* above: a stack pointer */

/* Records with marks of time: cursor where nothing is recorded, whatever limit is. */
#define PATCH_CURSOR_CLOSED (UINT64_C(1) << 62)

struct patch_thread_state { /* one a thread, at vector.thread_offset from the thread pointer */
	uint64_t state;	    /* enum above, or a stack pointer */
	uint8_t *cursor;    /* where the next record goes, or from PATCH_CURSOR_CLOSED on */
	uint8_t *limit;	    /* cursor at or above it: no room for the longest record */
	uint64_t last;	    /* ticks of the latest record */
	/* COUNTS: by function id, how many calls pass before the next one that is timed; 0 = the
	 * next one is.  NULL = there is none, the slow path decides. */
	uint32_t *left;
	uint64_t timed;	  /* COUNTS: where the return address of the innermost timed call lies */
	uint64_t skipped; /* calls that were not recorded: state was not READY */
	uint64_t reserved;
};
_Static_assert(sizeof(struct patch_thread_state) == 64, "a thread's state is one cache line");

/* Read by trampolines, written by who applies a plan, before the first call can come, and by
 * nobody later.  One page, PATCH_VECTOR_SIZE, read-only then. */
struct patch_vector {
	uint64_t thread_offset; /* of struct patch_thread_state from the thread pointer, signed */
	uint64_t first_id;	/* id of the plan's function 0 in this process */
	/* first_id << PATCH_ENTER_ID_SHIFT, or PATCH_MARKED_ID_SHIFT where PATCH_IS_MARKED */
	uint64_t first_id_head;
	uint64_t first_id_left; /* first_id * 4 */
	/* COARSE: address of the word with the time, ticks. */
	uint64_t clock;
	/* Called with the trampoline's own convention (docs/patch.md; x86-64): all registers but
	 * rax, rcx, rdx and the flags are kept, the stack is aligned to nothing.  rdx: where the
	 * function's return address lies.  rcx: thread_offset.
	 * slow_enter: eax is the function's index in the plan; it leaves in eax whether the end of
	 * this call is wanted (1: recorded, or to be timed), which is how a call-through is
	 * decided.  slow_exit is not told the function.
	 * aarch64: all registers but x0, x1, x16, x17 are kept.  x0: the stack pointer at the
	 * entry, in whose place the return address counts as lying; w16: the function's index.
	 * Nothing is left.
	 * An exit at a return point comes a second time for the same slot when a function that was
	 * called through ended by a jump to one whose returns are patched. */
	uint64_t slow_enter; /* an entry: state is not READY, no room, or to be timed */
	uint64_t slow_exit;  /* an exit: likewise, or the end of a timed call; 0 = none */
	/* Call-through: return addresses that lie at or above this address have a shadow slot
	 * at PATCH_SHADOW_BIT, which is set in all of them; those below, and all with UINT64_MAX,
	 * are not called through.  The one word that may change later, to UINT64_MAX. */
	uint64_t shadow_start;
};
#define PATCH_SHADOW_BIT  46 /* shadow slot of a return address: this bit of its address turned */
#define PATCH_VECTOR_SIZE 4096u
#define PATCH_OBJECT_AT	  1024u /* in its page: what debuggers read (patchapply_object.c) */

/* Behind the vector, far enough from code that writing it costs the code nothing. */
struct patch_switch {
	uint8_t is_off; /* 1: trampolines go straight on to the function */
};
#define PATCH_SWITCH_SIZE     4096u
#define PATCH_SWITCH_DISTANCE 65536u /* from the vector to the switch */

/* Records: FULL, and COARSE.
 *
 * Little endian, back to back, unaligned.  slot is bits 3 to 12 of the address of the return
 * address: what tells frames apart.  Ticks count from the record before.
 *
 *   enter, 5 bytes: bit 0 = 1;        bits 1-9 ticks;  10-19 slot; 20-39 function id
 *   exit,  3 bytes: bits 0-1 = 2;     bits 2-13 ticks; 14-23 slot
 *   Ticks that do not fit are all ones, and 8 bytes with the time itself follow.
 *   others, 1 byte: bits 0-1 = 0; bits 2-7 enum patch_mark; 8 bytes with the time follow,
 *   but for PATCH_MARK_END. */
#define PATCH_ENTER_BYTES      5u
#define PATCH_ENTER_TICKS_BITS 9u
#define PATCH_ENTER_SLOT_SHIFT 10u
#define PATCH_ENTER_ID_SHIFT   20u
#define PATCH_EXIT_BYTES       3u
#define PATCH_EXIT_TICKS_BITS  12u
#define PATCH_EXIT_TICKS_SHIFT 2u
#define PATCH_EXIT_SLOT_SHIFT  14u
#define PATCH_SLOT_SHIFT       3u
#define PATCH_SLOT_MASK	       1023u
#define PATCH_ID_MAX	       ((1u << 20) - 1)
#define PATCH_TIME_BYTES       8u
#define PATCH_RECORD_MAX       16u /* bytes a trampoline may write from cursor on, 8 at a time */

/* Records with marks of time, which COARSE has where a processor moves the cursor in one
 * instruction: times are in marks alone, and count for all records behind them.
 *
 *   enter, 4 bytes: bits 0-1 = 1; 2-11 slot; 12-31 function id
 *   exit,  2 bytes: bits 0-1 = 2; 2-11 slot; 12-15 = 0
 *   marks, 1 byte, and 8 bytes with the time: as above, but there is no PATCH_MARK_END
 *   0, 1 byte: nothing.  Room that was taken and not written, or not taken yet.
 *
 * A record's room is taken by `xadd cursor`, which no signal handler splits, and then written
 * by one store, so that the records of a handler may lie right behind it.  Room at limit or above
 * is not written: the slow routine is called.  So it is where cursor was closed, that is at
 * PATCH_CURSOR_CLOSED or a little above, and when the clock is not at `last`; it alone writes
 * marks.  state is not looked at. */
#define PATCH_MARKED_ENTER_BYTES 4u
#define PATCH_MARKED_EXIT_BYTES	 2u
#define PATCH_MARKED_SLOT_SHIFT	 2u
#define PATCH_MARKED_ID_SHIFT	 12u
#define PATCH_MARK_BYTES	 (1u + PATCH_TIME_BYTES)

enum patch_mark {
	PATCH_MARK_END = 0,  /* what was written ends here */
	PATCH_MARK_LOST = 1, /* records before this one are missing: no frame is known to be open */
	PATCH_MARK_OFF = 2,  /* nothing is recorded from here on … */
	PATCH_MARK_ON = 3,   /* … to here */
	PATCH_MARK_TIME = 4, /* nothing but the time */
	/* 5 was never written: files that stand for damaged ones have it as a mark of no known
	 * kind. In the place of the time: ticks, up to the next records, that are not the
	 * program's, since others had the processor; since Kymo itself was at work. */
	PATCH_MARK_AWAY = 6,
	PATCH_MARK_OWN = 7,
};

/* FULL, x86-64: after so many ticks without a record the slow routine writes the next one, and
 * looks whether others had the processor meanwhile. */
#define PATCH_PAUSE_TICKS (1u << 20)

#endif

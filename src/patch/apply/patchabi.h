/* The interface between trampolines and their collector: the location of a thread's state, the page
 * that trampolines read, and the records that they write.
 *
 * Trampolines are machine code that is generated once per file (plan.h) and used by many processes,
 * so they contain nothing specific to a process: they find everything through the vector, a page at
 * a fixed distance from them.  Described in docs/patch.md.
 *
 * Context: any.  Nothing here allocates or calls functions. */
#ifndef KYMO_PATCHABI_H
#define KYMO_PATCHABI_H

#include <stdint.h>

#include "patch/apply/patchcpu.h"

/* What a call costs, which determines the trampolines of a plan: the user's choice. */
enum patch_cost {
	PATCH_COST_COUNTS = 1, /* every call is counted, a random subset is timed */
	PATCH_COST_COARSE = 2, /* records, with the time of a clock that a helper thread advances */
	PATCH_COST_FULL = 3,   /* records, each with the processor's counter */
};

/* While a trampoline is at work, state is its stack pointer.  A signal handler that interrupts it
 * sees that, is not recorded, and is counted; a stack pointer below the handler's own was left
 * behind by a jump out of a trampoline. */
#define PATCH_STATE_READY  0u
#define PATCH_STATE_NEW	   1u  /* the collector has not seen this thread yet */
#define PATCH_STATE_INSIDE 2u  /* inside Kymo, which is not recorded */
#define PATCH_STATE_OUT	   3u  /* it is not recorded any more */
#define PATCH_STATE_MAX	   15u /* above: a stack pointer */

/* Records with time marks: the cursor while nothing is recorded, whatever limit is. */
#define PATCH_CURSOR_CLOSED (UINT64_C(1) << 62)

struct patch_thread_state { /* one per thread, at vector.thread_offset from the thread pointer */
	uint64_t state;	    /* enum above, or a stack pointer */
	uint8_t *cursor;    /* address of the next record, or PATCH_CURSOR_CLOSED and above */
	uint8_t *limit;	    /* from here on the longest record does not fit */
	uint64_t last;	    /* ticks of the latest record */
	/* COUNTS: by function id, the number of calls before the next timed one; 0 = the next one
	 * is timed.  NULL = none yet, the slow path decides. */
	uint32_t *left;
	uint64_t timed;	  /* COUNTS: slot of the innermost timed call's return address */
	uint64_t skipped; /* calls that were not recorded: state was not READY */
	uint64_t reserved;
};
_Static_assert(sizeof(struct patch_thread_state) == 64, "a thread's state is one cache line");

/* Read by trampolines; written by the code that applies a plan, before the first call, and never
 * later.  One page, PATCH_VECTOR_SIZE, read-only afterwards. */
struct patch_vector {
	uint64_t thread_offset; /* of struct patch_thread_state from the thread pointer, signed */
	uint64_t first_id;	/* id of the plan's function 0 in this process */
	/* first_id << PATCH_ENTER_ID_SHIFT, or PATCH_MARKED_ID_SHIFT where PATCH_IS_MARKED */
	uint64_t first_id_head;
	uint64_t first_id_left; /* first_id * 4 */
	/* COARSE: address of the current time in ticks */
	uint64_t clock;
	/* Called with the trampoline's own convention (docs/patch.md; x86-64): all registers but
	 * rax, rcx, rdx and the flags are preserved, the stack has no particular alignment.  rdx:
	 * the slot of the function's return address.  rcx: thread_offset.
	 * slow_enter: eax is the function's index in the plan; it returns in eax whether the end of
	 * this call is needed (1: recorded, or to be timed), which decides on a call-through.
	 * slow_exit does not get the function.
	 * aarch64: all registers but x0, x1, x16, x17 are preserved.  x0: the stack pointer at the
	 * entry, which serves as the slot; w16: the function's index.  Nothing is returned.
	 * An exit at a return point is reported twice for the same slot when a function that was
	 * called through ended in a jump to one whose returns are patched. */
	uint64_t slow_enter; /* an entry: state is not READY, no space, or to be timed */
	uint64_t slow_exit;  /* an exit: likewise, or the end of a timed call; 0 = none */
	/* Call-through: return addresses at or above this address have a shadow slot at the address
	 * with PATCH_SHADOW_BIT flipped, which is set in all of them; those below, and all with
	 * UINT64_MAX, are not called through.  Only this word may change later, to UINT64_MAX. */
	uint64_t shadow_start;
};
#define PATCH_SHADOW_BIT  46 /* flipped in the address of a return address: its shadow slot */
#define PATCH_VECTOR_SIZE 4096u
#define PATCH_OBJECT_AT	  1024u /* in its page: an ELF object for debuggers */

/* After the vector, far enough from code that writing it does not slow down the code. */
struct patch_switch {
	uint8_t is_off; /* 1: trampolines continue in the function at once */
};
#define PATCH_SWITCH_SIZE     4096u
#define PATCH_SWITCH_DISTANCE 65536u /* from the vector to the switch */

/* Records: FULL, and COARSE.
 *
 * Little endian, back to back, unaligned.  slot is bits 3 to 12 of the address of the return
 * address: it distinguishes frames.  Ticks count from the previous record.
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

/* Records with time marks, used by COARSE where a processor advances the cursor in one instruction:
 * only marks have times, which apply to all records after them.
 *
 *   enter, 4 bytes: bits 0-1 = 1; 2-11 slot; 12-31 function id
 *   exit,  2 bytes: bits 0-1 = 2; 2-11 slot; 12-15 = 0
 *   marks, 1 byte, and 8 bytes with the time: as above, but there is no PATCH_MARK_END
 *   0, 1 byte: nothing.  Space that was reserved and not written, or not reserved yet.
 *
 * A record's space is reserved by `xadd cursor`, which no signal handler can split, and then
 * written by one store, so that the records of a handler may follow it directly.  Space at limit or
 * above is not written: the slow routine is called. So it is when the cursor is closed, that is at
 * PATCH_CURSOR_CLOSED or slightly above, and when the clock is not at `last`; only it writes marks.
 * state is not read. */
#define PATCH_MARKED_ENTER_BYTES 4u
#define PATCH_MARKED_EXIT_BYTES	 2u
#define PATCH_MARKED_SLOT_SHIFT	 2u
#define PATCH_MARKED_ID_SHIFT	 12u
#define PATCH_MARK_BYTES	 (1u + PATCH_TIME_BYTES)

enum patch_mark {
	PATCH_MARK_END = 0,  /* end of what was written */
	PATCH_MARK_LOST = 1, /* records before this one are missing: no open frame is known */
	PATCH_MARK_OFF = 2,  /* nothing is recorded from here on … */
	PATCH_MARK_ON = 3,   /* … to here */
	PATCH_MARK_TIME = 4, /* nothing but the time */
	/* 5 was never written: test files of damaged recordings use it as an unknown mark. Instead
	 * of a time: ticks, up to the next record, that are not the program's: other processes had
	 * the processor; Kymo itself was at work. */
	PATCH_MARK_AWAY = 6,
	PATCH_MARK_OWN = 7,
};

/* FULL, x86-64: after so many ticks without a record the slow routine writes the next one, and
 * checks whether the thread was off the processor in between. */
#define PATCH_PAUSE_TICKS (1u << 20)

#endif

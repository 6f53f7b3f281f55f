/* A plan: how to instrument the functions of one ELF file, made once by analysing the file and
 * cached by its build id.
 *
 * It depends only on the file and on the kind of plan.  Which functions are chosen is decided when
 * it is applied, by which of its writes are made.  Its code can be mapped unmodified at
 * code_address, in the address space of the file; elsewhere its fixups relocate it. All addresses
 * are the file's own (st_value): add the bias of the process.
 *
 * The file: the header, then sections at the offsets it gives, each aligned to 16 bytes, the code
 * and its unwind tables to pages, so that they can be mapped.  Read-only once written; a reader
 * checks everything (planread.h). Context: any unless stated otherwise. */
#ifndef KYMO_PLAN_H
#define KYMO_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "patch/apply/patchabi.h"
#include "patch/plan/plan_file.h"

/* Further differences between plans of one cost. */
#define PLAN_VARIANT_EXITS	1u /* COUNTS: ends of calls are observed by patched exits */
#define PLAN_VARIANT_THROTTLE	2u /* functions have copies that only count */
#define PLAN_VARIANT_LOOPS	4u /* COARSE, FULL: loops of functions are recorded, too */
/* COARSE, FULL: the time is read when all earlier instructions are complete. */
#define PLAN_VARIANT_SERIALIZED 8u
#define PLAN_VARIANTS		16u /* number of combinations, and of single ones */

struct plan_kind { /* what a plan of a file is made for: a file has one plan of each */
	enum patch_cost cost;
	unsigned variant; /* PLAN_VARIANT_* */
};

/* The kind to use at a cost: with COUNTS, exits are patched if call-through is not allowed. */
static inline struct plan_kind plan_kind_of(enum patch_cost cost, bool has_calls)
{
	struct plan_kind kind = {cost, 0};

	if (cost == PATCH_COST_COUNTS && !has_calls)
		kind.variant = PLAN_VARIANT_EXITS;
	return kind;
}

enum plan_reason { /* why a function is not recorded, or not fully: plan_reason_text() */
		   PLAN_FINE = 0,
		   PLAN_TOO_SHORT,	    /* no space for a jump, nor in its padding */
		   PLAN_BRANCH_INTO_ENTRY,  /* a branch target is in its first bytes */
		   PLAN_UNDECODED,	    /* its code does not decode */
		   PLAN_NOT_MOVABLE,	    /* its first instructions cannot be relocated */
		   PLAN_NO_FRAME_RULE,	    /* no unwind table covers it, or not from its first byte
					     * on */
		   PLAN_READS_RETURN,	    /* it reads its return address: setjmp and others */
		   PLAN_STARTS_THE_PROGRAM, /* _start, _init and other code that the loader runs */
		   PLAN_NO_EXIT_SPACE,	    /* a return cannot be patched */
		   PLAN_UNKNOWN_JUMPS, /* it has jumps with unknown targets, so its returns are not
					* patched */
		   PLAN_INSTRUMENTED,  /* it has a hook of its compiler already */
		   PLAN_OVERLAPPING,   /* shares its bytes with another function */
		   PLAN_PART,	       /* a part of another function: .cold, not an entry */
		   PLAN_STUB,	       /* of the loader: PLT */
		   PLAN_TOO_FAR,       /* a jump does not reach its trampoline */
		   PLAN_REASONS
};

enum plan_way {			      /* how the end of a call is observed */
		PLAN_WAY_NONE = 0,    /* the function is not patched: reason */
		PLAN_WAY_EXITS = 1,   /* every return and outward jump is patched */
		PLAN_WAY_CALL = 2,    /* its body is called by the trampoline: "call-through" */
		PLAN_WAY_ENTRIES = 3, /* it is not observed: calls are counted, not timed */
		/* It calls __cyg_profile_func_enter() and _exit(), which the collector provides:
		 * nothing is written. */
		PLAN_WAY_HOOK = 4,
};

#define PLAN_FUNCTION_NAMED	 1u /* from a symbol; else name is "" */
#define PLAN_FUNCTION_GLOBAL	 2u
#define PLAN_FUNCTION_WEAK	 4u
#define PLAN_FUNCTION_HIDDEN	 8u  /* visibility: hidden or internal */
#define PLAN_FUNCTION_DYNAMIC	 16u /* exported */
#define PLAN_FUNCTION_TAIL_CALLS 32u /* may end by a jump to another function */
#define PLAN_FUNCTION_LOOPS	 64u /* has backward jumps */
#define PLAN_FUNCTION_IFUNC	 128u
#define PLAN_FUNCTION_PROTECTED	 256u
#define PLAN_FUNCTION_NOPS	 512u  /* its compiler reserved space for the jump: nops */
#define PLAN_FUNCTION_FENTRY	 1024u /* the jump replaces a call of __fentry__ */
#define PLAN_FUNCTION_MCOUNT	 2048u /* its call of mcount is dropped */
#define PLAN_FUNCTION_CALLABLE	 4096u /* the replacement of its entry may call its body */
/* A loop: address and size are its own, all else is its function's.  Loops follow all functions, by
 * address. */
#define PLAN_FUNCTION_LOOP	 0x4000u

/* A plan that was read: pointers into its bytes. */
struct plan {
	const unsigned char *bytes;
	const struct plan_header *header;
	const struct plan_function *functions;
	const struct plan_write *writes;
	const struct plan_copy *copies;
	const struct plan_call *calls;
	const uint32_t *fixups;
	const struct plan_owner *owners;
	const unsigned char *code, *frames, *frames_header;
	const char *names;
};

/* Identifies a file without a build id: by struct stat's st_size, st_mtim, st_ino. */
static inline uint64_t plan_identity(uint64_t size, uint64_t seconds, uint64_t nanoseconds,
				     uint64_t inode)
{
	const uint64_t words[] = {size, seconds, nanoseconds, inode};
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (unsigned i = 0; i < 4 * 8; i++)
		hash = (hash ^ (words[i / 8] >> i % 8 * 8 & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

/* A choice: one byte per function of a plan; 0 = it is not patched. */
#define CHOICE_MAGIC "KYMOPICK"
struct choice_header {
	char magic[8];
	uint32_t version; /* PLAN_VERSION */
	uint32_t count;
	uint64_t plan_checksum;
	/* count bytes follow: enum choice_of */
};
enum choice_of { CHOICE_LEFT = 0, CHOICE_TAKEN = 1 };

#endif

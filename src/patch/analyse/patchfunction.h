/* A function of a file as the analysis sees it: its entry, its exits, and how it is recorded. */
#ifndef KYMO_PATCHFUNCTION_H
#define KYMO_PATCHFUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/plan/plan.h"

/* How the first bytes of a function become a jump to its trampoline. */
enum patch_entry_way {
	PATCH_ENTRY_NONE,
	PATCH_ENTRY_JUMP,    /* 5 bytes at the entry: whole instructions are displaced */
	PATCH_ENTRY_PADDING, /* likewise, with padding after a shorter function */
	PATCH_ENTRY_CAVE,    /* 2 bytes at the entry jump to 5 unused bytes at cave */
	/* Space reserved by the compiler: nops, or its call of __fentry__.  Nothing is moved. */
	PATCH_ENTRY_HOOK,
};

struct patch_entry {
	uint8_t way;	      /* enum patch_entry_way */
	uint8_t displaced;    /* bytes of whole instructions that are moved; with HOOK dropped */
	uint8_t instructions; /* of these */
	bool ends;	      /* the last of them does not fall through */
	bool keeps_flags;     /* the function may read the caller's flags */
	uint64_t at;	      /* first byte that is overwritten: after an endbr64 */
	uint64_t cave;
};

enum patch_exit_kind {
	PATCH_EXIT_RETURN,	/* ret, also with an operand, bnd or rep */
	PATCH_EXIT_JUMP,	/* jmp to another function, in the file or through a pointer */
	PATCH_EXIT_CONDITIONAL, /* jcc to another function */
	/* No exit: a jump or jcc within the function back to the entry, or to the first displaced
	 * byte. Not recorded, but redirected to the displaced instructions, past the record of the
	 * call. */
	PATCH_EXIT_OWN_ENTRY,
};

/* A place where a function is left.  The bytes [at, at + displaced) become a jump to a trampoline
 * that executes the displaced instructions but the last, records, and executes the last. */
struct patch_exit {
	uint64_t at;
	uint64_t instruction; /* of the return or jump itself: the last instruction that is
			       * displaced */
	/* At least 5, including padding when the code is shorter.  0: within the bytes that the
	 * entry displaces; the entry's trampoline records it. */
	uint8_t displaced;
	uint8_t code;	  /* bytes of instructions in it: the rest is padding */
	uint8_t kind;	  /* enum patch_exit_kind */
	bool keeps_flags; /* the caller may read the flags: the record preserves them */
	uint32_t function;
	/* PATCH_EXIT_JUMP and _CONDITIONAL: the target in the file; 0 = not known. */
	uint64_t target;
};

/* Whether a copy of the whole function can be made. */
enum patch_copy {
	PATCH_COPY_NONE,
	PATCH_COPY_LEAF,  /* it can */
	PATCH_COPY_CALLS, /* likewise, but then the copy calls its callees */
};
#define PATCH_COPY_BYTES_MAX 128u

struct patch_function {
	uint64_t address, size; /* found by patchfunctions.c */
	const char *name;	/* "" = none */
	uint32_t flags;		/* PLAN_FUNCTION_* */
	enum plan_reason reason;
	enum plan_way way; /* from here on set by patchdecide.c */
	struct patch_entry entry;
	/* In module.exits.  With PLAN_WAY_EXITS all of them; otherwise only those that are
	 * PATCH_EXIT_OWN_ENTRY. */
	uint32_t first_exit, exit_count;
	uint32_t instructions; /* 0 = not decoded */
	bool has_handlers;     /* return addresses in it are looked up: for exceptions, by stack
				* walkers */
	bool is_callable;      /* its trampoline may call its body, whatever its way */
	bool ends_in_function; /* it may end in a jump to a function that is itself recordable */
	uint8_t hook_bytes;    /* of a call of mcount at hook_call, which is dropped; 0 = none */
	uint64_t hook_call;
	uint8_t copy; /* enum patch_copy; with module.wants_copies */
};

#endif

/* A function of a file as the engine sees it: its entry, its exits, and how it is recorded. */
#ifndef KYMO_PATCHFUNCTION_H
#define KYMO_PATCHFUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/plan/plan.h"

/* How the first bytes of a function become a jump to its trampoline. */
enum patch_entry_way {
	PATCH_ENTRY_NONE,
	PATCH_ENTRY_JUMP,    /* 5 bytes at the entry, which whole instructions make room for */
	PATCH_ENTRY_PADDING, /* likewise, with padding behind a function that is shorter */
	PATCH_ENTRY_CAVE,    /* 2 bytes at the entry jump to 5 unused ones at cave */
	/* Room that the compiler left: nops, or its call of __fentry__.  Nothing is moved. */
	PATCH_ENTRY_HOOK,
};

struct patch_entry {
	uint8_t way;	      /* enum patch_entry_way */
	uint8_t displaced;    /* bytes of whole instructions that are moved; with HOOK left out */
	uint8_t instructions; /* of these */
	bool ends;	      /* the last of them never goes on to the next */
	bool keeps_flags;     /* the function may read the flags before it sets them */
	uint64_t at; /* first byte that is overwritten: behind endbr64 where there is one */
	uint64_t cave;
};

enum patch_exit_kind {
	PATCH_EXIT_RETURN,	/* ret, also with an operand and behind bnd or rep */
	PATCH_EXIT_JUMP,	/* jmp to another function, in the file or through a pointer */
	PATCH_EXIT_CONDITIONAL, /* jcc to another function */
	/* No exit: a jump or jcc from inside back to the entry, or to the displaced bytes' first.
	 * It is not recorded, but shall go to what the entry displaced, not to the call's record.
	 */
	PATCH_EXIT_OWN_ENTRY,
};

/* A place where a function is left.  The bytes [at, at + displaced) become a jump to a
 * trampoline that does what they did, up to the last instruction, records, and does that. */
struct patch_exit {
	uint64_t at;
	uint64_t instruction; /* of the return or jump itself: the last that is displaced */
	/* At least 5, with padding behind it when the code is shorter.  0: it lies in what the
	 * entry displaces, and is recorded by the entry's trampoline. */
	uint8_t displaced;
	uint8_t code;	  /* bytes of instructions in it: the rest is padding */
	uint8_t kind;	  /* enum patch_exit_kind */
	bool keeps_flags; /* the caller may look at the flags: the record leaves them alone */
	uint32_t function;
	/* PATCH_EXIT_JUMP and _CONDITIONAL: where they lead to in the file; 0 = not known. */
	uint64_t target;
};

/* Whether all of a function can be done elsewhere. */
enum patch_copy {
	PATCH_COPY_NONE,
	PATCH_COPY_LEAF,  /* it can */
	PATCH_COPY_CALLS, /* likewise, but the functions it calls are called from there then */
};
#define PATCH_COPY_BYTES_MAX 128u

struct patch_function {
	uint64_t address, size; /* found by patchfunctions.c */
	const char *name;	/* "" = none */
	uint32_t flags;		/* PLAN_FUNCTION_* */
	enum plan_reason reason;
	enum plan_way way; /* from here on found by patchdecide.c */
	struct patch_entry entry;
	/* In module.exits.  With PLAN_WAY_EXITS all of them; otherwise only those that are
	 * PATCH_EXIT_OWN_ENTRY. */
	uint32_t first_exit, exit_count;
	uint32_t instructions; /* 0 = not decoded */
	bool has_handlers;     /* its calls' return addresses are looked up: for exceptions, by
				* who walks stacks */
	bool is_callable;      /* its body may be called by its trampoline, whatever its way */
	bool ends_in_function; /* it may jump to one that can be recorded itself */
	uint8_t hook_bytes;    /* of a call of mcount at hook_call, which is not made; 0 = none */
	uint64_t hook_call;
	uint8_t copy; /* enum patch_copy; with module.wants_copies */
};

#endif

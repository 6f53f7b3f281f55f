/* Annotations of code while it is emitted: distances to be filled in, and starts of unwind
 * rules. */
#ifndef KYMO_PLANMARK_H
#define KYMO_PLANMARK_H

#include <stdbool.h>
#include <stdint.h>

enum plan_to {		       /* the target of a distance */
	       PLAN_TO_FILE,   /* an address of the file: a fixup */
	       PLAN_TO_HOT,    /* an offset in the hot stretch */
	       PLAN_TO_COLD,   /* in the cold one */
	       PLAN_TO_VECTOR, /* in struct patch_vector */
	       PLAN_TO_SWITCH,
};

enum plan_form { /* how a distance is encoded; all but the first within one instruction */
		 PLAN_FORM_DISTANCE, /* 4 bytes */
		 PLAN_FORM_JUMP,     /* aarch64: b and bl */
		 PLAN_FORM_NEAR,     /* cbz and cbnz */
		 PLAN_FORM_PAGE,     /* adrp */
		 PLAN_FORM_LOW,	     /* add: the target's offset in its page */
};

struct plan_link { /* a distance */
	uint64_t target;
	uint32_t at;	/* offset in its stretch */
	uint8_t behind; /* PLAN_FORM_DISTANCE: bytes from there to the end of the instruction */
	uint8_t to;	/* enum plan_to */
	uint8_t form;	/* enum plan_form */
	bool is_cold;	/* it is in the cold stretch */
};

/* How the stack is unwound from an offset on. */
enum plan_rule {
	PLAN_RULE_ENTRY,       /* as at a function's first byte: the return address is at rsp */
	PLAN_RULE_SLOW,	       /* the stack pointer is 128 bytes lower: it is at rsp + 128 */
	PLAN_RULE_CALLED,      /* call-through: it is in the shadow slot of rsp - 8 */
	PLAN_RULE_CALLED_SLOW, /* of rsp + 120 */
	PLAN_RULE_FILE,	       /* as the file's tables describe an address */
	/* aarch64, whose return addresses are in x30; address: it is signed. */
	PLAN_RULE_PUSHED,      /* a trampoline's frame is on the stack … */
	PLAN_RULE_PUSHED_LINK, /* … and x30 in it */
	PLAN_RULE_JUMP,	       /* x30 was pushed */
	PLAN_RULE_STEPPED,     /* 16 bytes were pushed */
};

struct plan_mark {
	uint64_t address; /* PLAN_RULE_FILE; of aarch64's: not 0 = the return address is signed */
	uint32_t at;	  /* offset in its stretch */
	uint8_t rule;	  /* enum plan_rule */
	uint8_t stepped;  /* PLAN_RULE_FILE: the stack pointer is lower by so many bytes */
};

#endif

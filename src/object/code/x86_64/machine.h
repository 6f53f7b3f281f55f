/* Symbolic execution of x86-64 code: where the values in registers and on the stack come from,
 * along one path through it.  Context: any. */
#ifndef KYMO_MACHINE_X86_64_H
#define KYMO_MACHINE_X86_64_H

#include "object/code/x86_64/instruction.h"

#define SLOTS_MAX 24u

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R11 = 11, REGISTERS = 16 };

struct value {
	enum { UNKNOWN, SUM, LOADED } kind; /* register + offset, or the word there */
	uint8_t number;			    /* of a register's initial value */
	int64_t offset;
};

struct slot {		      /* memory that the code has written */
	struct value address; /* SUM */
	struct value value;
};

struct machine {
	struct value registers[REGISTERS];
	struct slot slots[SLOTS_MAX];
	unsigned slot_count;
	bool is_stopped; /* the rest of the path is unknown */
	bool has_returned;
	int64_t jump; /* from the next instruction */
};

/* Every register has its own initial value. */
void machine_begin(struct machine *machine);
/* Execute one instruction; the caller follows jumps. */
void machine_execute(struct machine *machine, const struct instruction *what);
/* The register has its initial value. */
bool machine_keeps(const struct machine *machine, unsigned number);

#endif

/* Code generated at run time to call one function with an additional pointer: closures of libffi,
 * which ctypes uses for callbacks, and trampolines of compilers.  It loads a register or two and
 * jumps on; its return address is at the top of the stack. */
#include "object/unwind/thunk.h"

#include "object/code/x86_64/machine.h"
#include "object/unwind/cfi.h"

#define INSTRUCTIONS_MAX 6u
#define DWARF_STACK	 7u /* register number of the stack pointer */

static bool is_landing(const struct instruction *what)
{
	return what->map == 2 && what->opcode == 0x1e; /* endbr64 */
}

static bool thunk_is_jump(const struct instruction *what)
{
	return what->map == 1 && what->opcode == 0xff && (what->reg & 7) == 4;
}

static bool is_untouched(const struct machine *machine)
{
	return !machine->is_stopped && machine->jump == 0 && machine->slot_count == 0 &&
	       machine_keeps(machine, RSP) && machine_keeps(machine, RBP);
}

bool unwind_row_by_thunk(const uint8_t *code, size_t size, struct cfi_row *row_out)
{
	struct machine machine;
	struct instruction what;

	machine_begin(&machine);
	for (unsigned i = 0; i < INSTRUCTIONS_MAX; i++) {
		if (!instruction_decode(code, size, &what))
			return false;
		if (thunk_is_jump(&what)) {
			*row_out = (struct cfi_row){.cfa = CFI_CFA_CODE + DWARF_STACK,
						    .cfa_offset = 8,
						    .return_offset = -8,
						    .frame_offset = CFI_FRAME_KEPT};
			return true;
		}
		if (!is_landing(&what))
			machine_execute(&machine, &what);
		if (!is_untouched(&machine))
			return false;
		code += what.length;
		size -= what.length;
	}
	return false;
}

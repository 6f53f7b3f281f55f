/* Functions that read or modify their return address: setjmp, unwinders, stack switching.
 * Call-through replaces that address, so such functions must be excluded. */
#include "patch/analyse/x86_64/return_use.h"

#include "base/array.h"
#include "patch/analyse/file/patchframes.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/patchsweep.h"

#define DEPTH_MAX 24u

/* Register and offset that address the return address; false: not known. */
static bool use_slot_of(const struct cfi_row *row, unsigned *base, int64_t *offset)
{
	*offset = (int64_t)row->cfa_offset - 8;
	if (row->return_offset != -8)
		return false;
	if (row->cfa == CFI_CFA_STACK)
		*base = PATCH_RSP;
	else if (row->cfa == CFI_CFA_FRAME)
		*base = PATCH_RBP;
	else if (row->cfa >= CFI_CFA_REGISTER && row->cfa < CFI_CFA_REGISTER + 16) {
		static const uint8_t numbers[16] = {PATCH_RAX, PATCH_RDX, PATCH_RCX, PATCH_RBX,
						    PATCH_RSI, PATCH_RDI, PATCH_RBP, PATCH_RSP,
						    8,	       9,	  10,	     11,
						    12,	       13,	  14,	     15};
		*base = numbers[row->cfa - CFI_CFA_REGISTER];
	} else {
		return false;
	}
	return true;
}

/* Functions that realign the stack copy their return address, only for debuggers. */
static bool is_copy(const struct patch_code *code, const struct cfi_row *row)
{
	return row->cfa >= CFI_CFA_REGISTER && code->map == 1 && code->opcode == 0xff &&
	       code->modrm_reg == 6;
}

/* Releases the frame, like an add to the stack pointer: GCC 16 does so to preserve flags, and
 * functions that realigned the stack end in it. */
static bool is_release(const struct patch_code *code)
{
	return code->map == 1 && code->opcode == 0x8d && code->is_wide && code->reg == PATCH_RSP;
}

static bool touches_memory(const struct patch_code *code, const struct cfi_row *row)
{
	int64_t slot = 0, distance;
	unsigned base = PATCH_NO_REGISTER;

	if (!code->is_memory || patchcode_is_nop(code))
		return false;
	if (row->cfa == CFI_CFA_FRAME_DEREF) /* realigned: reached only through that word */
		return false;
	if (!use_slot_of(row, &base, &slot))
		return true;
	distance = code->displacement - slot;
	if (distance == 0 && is_release(code))
		return false;
	return code->base == base && code->index == PATCH_NO_REGISTER && distance > -8 &&
	       distance < 8 && !is_copy(code, row);
}

static bool touches(const struct patch_code *code, const struct cfi_row *row)
{
	bool is_on_top = row->cfa == CFI_CFA_STACK && row->cfa_offset == 8;

	if (touches_memory(code, row))
		return true;
	if (code->kind == PATCH_CODE_RETURN)
		return !is_on_top || code->opcode == 0xc2;
	if (code->map != 1 || code->is_vector)
		return false;
	if (((code->opcode & 0xf8) == 0x58 || code->opcode == 0x8f) && is_on_top)
		return true;
	if (code->opcode == 0x89 && !code->is_memory && code->rm == PATCH_RSP) /* switches to
										* another stack */
		return row->cfa == CFI_CFA_STACK;
	return code->opcode == 0x8b && code->reg == PATCH_RSP && row->cfa == CFI_CFA_STACK;
}

static void keep_row(void *context, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct return_use *use = context;
	uint64_t first = use->function->address, last = first + use->function->size;
	struct return_use_row *rows;
	unsigned base;

	if (end <= first || start >= last || use->is_found)
		return;
	use->is_found = (start < first ? first : start) != use->behind;
	use->behind = end < last ? end : last;
	rows = array_grow(use->rows, &use->capacity, use->count + 1, sizeof(*rows));
	if (!rows) {
		use->is_found = true;
		return;
	}
	use->rows = rows;
	rows += use->count++;
	*rows = (struct return_use_row){.end = use->behind, .row = *row};
	rows->is_plain = (row->cfa == CFI_CFA_STACK || row->cfa == CFI_CFA_FRAME) &&
			 use_slot_of(row, &base, &rows->slot);
	use->is_plain &= rows->is_plain;
}

void return_use_begin(struct return_use *use, const struct patch_module *module,
		      const struct patch_function *function)
{
	const struct cfi_fde *part = patchframes_at(module, function->address);

	use->function = function;
	use->behind = function->address;
	use->count = use->at = 0;
	use->until = 0;
	use->is_plain = true;
	use->is_found = false;
	if (!part || !cfi_each_row(&module->frames, part, keep_row, use) ||
	    use->behind < function->address + function->size)
		use->is_found = true;
}

void return_use_see(struct return_use *use, uint64_t address, const struct patch_code *code)
{
	const struct return_use_row *row = return_use_row(use, address);

	use->is_found |= row && touches(code, &row->row);
}

void return_use_closer(struct return_use *use, uint64_t address, const unsigned char *bytes,
		       uint64_t left)
{
	struct patch_code code;

	if (patchcode_decode(bytes, left, &code))
		return_use_see(use, address, &code);
	else
		use->is_found = true;
}

bool return_use_is_special(const char *name)
{
	static const char *const names[] = {"setjmp",
					    "sigsetjmp",
					    "vfork",
					    "getcontext",
					    "makecontext",
					    "swapcontext",
					    "setcontext",
					    "dlopen",
					    "dlmopen",
					    "dlsym",
					    "dlvsym",
					    "dl_iterate_phdr",
					    "clone",
					    "clone3",
					    "backtrace",
					    "unw_getcontext",
					    "longjmp",
					    "siglongjmp",
					    "mcount",
					    "fentry",
					    "libc_dlopen_mode",
					    "libc_dlsym",
					    "libc_unwind_link_get",
					    "rt_sigreturn",
					    "restore_rt",
					    "tls_get_addr_slow",
					    "sigreturn",
					    NULL};

	if (name[0] == '\0')
		return false;
	if (strncmp(name, "_Unwind_", 8) == 0)
		return true;
	name += strspn(name, "_");
	for (const char *const *at = names; *at; at++) {
		size_t length;

		if (name[0] != (*at)[0])
			continue;
		length = strlen(*at);
		if (strncmp(name, *at, length) == 0 &&
		    (name[length] == '\0' || name[length] == '@' || name[length] == '_'))
			return true;
	}
	return false;
}

static bool uses_return(struct patch_decision *decision, uint32_t index, unsigned depth);

static bool target_looks(struct patch_decision *decision, const struct patch_event *event,
			 unsigned depth)
{
	const struct patch_module *module = decision->module;
	const struct patch_function *to;

	if (event->kind == PATCH_EVENT_JUMP_INDIRECT)
		return event->target != 0 &&
		       return_use_is_special(patchimports_word(module, event->target));
	if (event->kind > PATCH_EVENT_SHORT || event->kind == PATCH_EVENT_RETURN)
		return false;
	to = patchmodule_function_at(module, event->target);
	if (!to || patchdecision_reason(to) == PLAN_STUB)
		return return_use_is_special(patchimports_stub(module, event->target));
	return uses_return(decision, patchdecision_index(module, to), depth + 1);
}

static bool uses_return_by_jumps(struct patch_decision *decision, uint32_t index, unsigned depth)
{
	const struct patch_sweep *sweep = decision->module->sweep;

	for (size_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++)
		if (target_looks(decision, &sweep->events[i], depth))
			return true;
	for (uint32_t part = decision->first_fragments[index]; part != PATCH_NO_FUNCTION;
	     part = decision->next_fragments[part])
		if (uses_return(decision, part, depth + 1))
			return true;
	return false;
}

static bool uses_return(struct patch_decision *decision, uint32_t index, unsigned depth)
{
	const struct patch_module *module = decision->module;
	const struct patch_function *function = &module->functions[index];
	bool is_found;

	if (decision->return_uses[index] == RETURN_ADDRESS_PENDING)
		return false; /* a cycle: the other functions decide */
	if (decision->return_uses[index] != RETURN_ADDRESS_UNKNOWN)
		return decision->return_uses[index] == RETURN_ADDRESS_USED;
	if (depth > DEPTH_MAX)
		return true;
	decision->return_uses[index] = RETURN_ADDRESS_PENDING;
	is_found = !(module->sweep->notes[index] & PATCH_SWEPT_ALL) ||
		   module->sweep->notes[index] & PATCH_SWEPT_USES_RETURN ||
		   return_use_is_special(function->name) ||
		   uses_return_by_jumps(decision, index, depth);
	decision->return_uses[index] = is_found ? RETURN_ADDRESS_USED : RETURN_ADDRESS_UNUSED;
	return is_found;
}

bool return_use_is_none(struct patch_decision *decision, uint32_t function)
{
	return !uses_return(decision, function, 0);
}

/* Questions about single places in the code that the decisions ask. */
#include "patch/analyse/patchdecide.h"

#include <string.h>

#include "patch/analyse/patchhandlers.h"
#include "patch/analyse/patchimports.h"

bool patchdecide_code(const struct patch_module *module, uint64_t address, struct patch_code *out)
{
	uint64_t left = patchmodule_left(module, address);
	const unsigned char *bytes = patchmodule_at(module, address, left);

	return bytes && patchsweep_is_text(module, address) && patchcode_decode(bytes, left, out);
}

uint64_t patchdecide_before(const struct patch_module *module, uint64_t address, uint64_t floor)
{
	for (uint64_t at = address; at > floor && address - at < 15;)
		if (patchbits_has(module->sweep->boundaries, --at - module->targets_start))
			return at;
	return 0;
}

static bool is_function_start(const struct patch_module *module, uint64_t address)
{
	return patchbits_has(module->sweep->starts, address - module->targets_start);
}

bool patchdecide_is_taken(const struct patch_module *module, uint64_t start, uint64_t size)
{
	for (uint64_t at = start; at < start + size && patchsweep_is_text(module, at); at++)
		if (patchbits_has(module->sweep->taken, at - module->targets_start))
			return true;
	return false;
}

void patchdecide_take(struct patch_module *module, uint64_t start, uint64_t size, bool is_taken)
{
	for (uint64_t at = start; at < start + size && patchsweep_is_text(module, at); at++) {
		uint64_t bit = at - module->targets_start;

		if (is_taken)
			patchbits_set(module->sweep->taken, bit);
		else
			__atomic_fetch_and(&module->sweep->taken[bit / 8],
					   (uint8_t) ~(1u << bit % 8), __ATOMIC_RELAXED);
	}
}

static bool patchplaces_is_free(const struct patch_module *module, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end; at++)
		if (!patchsweep_is_text(module, at) || patchmodule_is_target(module, at) ||
		    is_function_start(module, at) || patchdecide_is_taken(module, at, 1))
			return false;
	return true;
}

unsigned patchdecide_padding(const struct patch_module *module, uint64_t address, unsigned need)
{
	uint64_t at = address;

	while (at < address + need) {
		const unsigned char *bytes = patchmodule_at(module, at, 1);
		unsigned length = 0;
		struct patch_code code;

		if (!bytes || !patchsweep_is_text(module, at))
			break;
		if (*bytes == 0xcc)
			length = 1;
		else if (*bytes == 0)
			length = patchmodule_function_at(module, at) ? 0 : 1;
		else if (patchdecide_code(module, at, &code) && patchcode_is_nop(&code))
			length = code.length;
		if (length == 0 || !patchplaces_is_free(module, at, at + length))
			break;
		at += length;
	}
	return (unsigned)(at - address < need ? at - address : need);
}

bool patchdecide_is_entered(const struct patch_module *module, uint64_t start, uint64_t end)
{
	for (uint64_t at = start + 1; at < end; at++)
		if (patchmodule_is_target(module, at))
			return true;
	return false;
}

bool patchdecide_is_popped(const struct patch_module *module, uint64_t address)
{
	const struct cfi_part *part = patchsweep_part(module, address);
	struct cfi_row row;

	return part && cfi_find_in(&module->frames, part, address, &row) &&
	       patchsweep_is_entry_row(&row);
}

bool patchdecide_is_special(const char *name)
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

static const char *name_of_called(const struct patch_module *module, uint64_t address,
				  const struct patch_code *code)
{
	const struct patch_function *function;
	uint64_t target;

	if (code->kind == PATCH_CODE_CALL_INDIRECT)
		return code->is_rip_relative
			       ? patchimports_word(module, patchcode_operand(code, address))
			       : "";
	target = patchcode_target(code, address);
	function = patchmodule_function_at(module, target);
	if (function && function->address == target && *function->name)
		return function->name;
	return patchimports_stub(module, target);
}

/* A call of the next instruction asks where it is. */
static bool is_movable_call(struct patch_decision *decision, uint64_t address,
			    const struct patch_code *code)
{
	const struct patch_module *module = decision->module;
	const struct cfi_part *part = patchsweep_part(module, address);
	const struct patch_function *called;
	if (patchhooks_is_dropped(module, address))
		return true;
	if (code->kind == PATCH_CODE_CALL && code->immediate == 0)
		return false;
	if (part && part->handlers && !patchhandlers_pass(module, part, address + code->length))
		return false;
	if (patchdecide_is_special(name_of_called(module, address, code)))
		return false;
	called = code->kind == PATCH_CODE_CALL
			 ? patchmodule_function_at(module, patchcode_target(code, address))
			 : NULL;
	return !called || patchdecide_reason(called) == PLAN_STUB ||
	       patchdecide_looks_away(decision, patchdecide_index(module, called));
}

bool patchdecide_is_movable(struct patch_decision *decision, uint64_t address,
			    const struct patch_code *code)
{
	switch (code->kind) {
	case PATCH_CODE_CALL:
	case PATCH_CODE_CALL_INDIRECT:
		return is_movable_call(decision, address, code);
	case PATCH_CODE_LOOP: /* xbegin is none */
		return code->opcode != 0xc7;
	case PATCH_CODE_STOP:
	case PATCH_CODE_TRAP:
	case PATCH_CODE_ODD:
		return false;
	default:
		return true;
	}
}

/* Hooks that compilers insert into functions on request, and how each is handled.
 *
 * -pg calls mcount or __fentry__ of the C library, for gprof: that call is dropped in recorded
 * functions.  -finstrument-functions calls __cyg_profile_func_enter() and _exit() with the
 * function's address: if they are imported the collector interposes them, and the function is not
 * patched in addition.  If the file defines them, they remain in use. */
#include "patch/analyse/x86_64/patchhooks.h"

#include <stdlib.h>
#include <string.h>

#include "patch/analyse/file/patchdynamic.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/x86_64/patchbytes.h"

#define C_LIBRARY "GLIBC_"

static const char *const names[] = {"__fentry__", "mcount", "_mcount", "__cyg_profile_func_enter"};
enum called { CALLS_NOTHING, CALLS_FENTRY, CALLS_MCOUNT, CALLS_ENTER, CALLS_OTHERS };

static bool defines(const struct patch_module *module, const char *name)
{
	for (size_t i = 0; i < module->function_count; i++)
		if (module->functions[i].reason != PLAN_STUB &&
		    module->functions[i].name[0] == name[0] &&
		    strcmp(module->functions[i].name, name) == 0)
			return true;
	return false;
}

/* mcount@GLIBC_2.2.5: without the version it could be any library's. */
static bool is_of_c_library(const struct patch_module *module, const struct patch_dynamic *dynamic,
			    const char *name)
{
	for (uint64_t i = 1; i < dynamic->symbol_count; i++) {
		const Elf64_Sym *symbol = &dynamic->symbols[i];
		const char *version;

		if (symbol->st_shndx != SHN_UNDEF ||
		    strcmp(patchmodule_text(dynamic->texts, dynamic->texts_size, symbol->st_name),
			   name) != 0)
			continue;
		version = patchdynamic_version(module, dynamic, i);
		return strncmp(version, C_LIBRARY, sizeof(C_LIBRARY) - 1) == 0;
	}
	return false;
}

void patchhooks_find(const struct patch_module *module, struct patch_hooks *out)
{
	struct patch_dynamic dynamic;
	bool is_own = false, is_foreign = false;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		out->has_any |= patchimports_has(module, names[i]) || defines(module, names[i]);
		is_own |= i < 3 && defines(module, names[i]);
	}
	if (!out->has_any)
		return;
	patchdynamic_read(module, &dynamic);
	for (size_t i = 0; i < 3; i++)
		is_foreign |= patchimports_has(module, names[i]) &&
			      !is_of_c_library(module, &dynamic, names[i]);
	out->is_gprof = !is_own && !is_foreign;
	out->is_called_by_address =
		patchimports_has(module, names[3]) && !defines(module, names[3]);
}

static const char *name_of_call(const struct patch_module *module, uint64_t address,
				const struct patch_code *code)
{
	const struct patch_function *function;

	if (code->kind == PATCH_CODE_CALL_INDIRECT && code->is_rip_relative)
		return patchimports_word(module, patchcode_operand(code, address));
	if (code->kind != PATCH_CODE_CALL)
		return "";
	function = patchmodule_function_at(module, patchcode_target(code, address));
	if (function && *function->name)
		return function->name;
	return patchimports_stub(module, patchcode_target(code, address));
}

static enum called what_is_called(const struct patch_module *module, uint64_t address,
				  const struct patch_code *code)
{
	const char *name = name_of_call(module, address, code);

	if (name[0] != '_' && name[0] != 'm')
		return CALLS_OTHERS;
	if (strcmp(name, names[0]) == 0)
		return CALLS_FENTRY;
	if (strcmp(name, names[1]) == 0 || strcmp(name, names[2]) == 0)
		return CALLS_MCOUNT;
	return strcmp(name, names[3]) == 0 ? CALLS_ENTER : CALLS_OTHERS;
}

/* The clone of a function, "solve.constprop.0", is reported under its name. */
static bool patchhooks_is_same(const struct patch_function *left, const char *right)
{
	size_t length = strcspn(right, ".");

	return length > 0 && strcspn(left->name, ".") == length &&
	       strncmp(left->name, right, length) == 0;
}

static bool is_address_of(const struct patch_module *module, const struct patch_function *function,
			  uint64_t address)
{
	const struct patch_function *to = patchmodule_function_at(module, address);

	return to && to->address == address &&
	       (to == function || patchhooks_is_same(function, to->name));
}

/* An instruction with the function's own address: the one passed to hooks. */
static bool names_itself(const struct patch_module *module, const struct patch_function *function,
			 uint64_t at, const struct patch_code *code)
{
	if (code->map != 1)
		return false;
	if (code->is_rip_relative && code->opcode == 0x8d)
		return is_address_of(module, function, patchcode_operand(code, at));
	if (code->is_rip_relative && code->opcode == 0x8b)
		return patchhooks_is_same(function,
					  patchimports_word(module, patchcode_operand(code, at)));
	if (code->opcode >= 0xb8 && code->opcode <= 0xbf)
		return is_address_of(module, function,
				     code->is_wide ? (uint64_t)code->immediate
						   : (uint32_t)code->immediate);
	return code->opcode == 0xc7 && code->is_wide &&
	       is_address_of(module, function, (uint64_t)code->immediate);
}

struct seen { /* in one function */
	unsigned counts[CALLS_OTHERS + 1];
	bool names_itself;
	uint64_t call; /* of mcount or __fentry__ */
	uint8_t length;
};

static void patchhooks_see_all(const struct patch_module *module,
			       const struct patch_function *function, struct seen *seen)
{
	uint64_t at = function->address, end = at + function->size;
	struct patch_code code;
	enum called called;

	memset(seen, 0, sizeof(*seen));
	for (; at < end && patchbytes_code(module, at, &code); at += code.length) {
		seen->names_itself |= names_itself(module, function, at, &code);
		if (code.kind != PATCH_CODE_CALL && code.kind != PATCH_CODE_CALL_INDIRECT)
			continue;
		called = what_is_called(module, at, &code);
		seen->counts[called]++;
		if (called == CALLS_FENTRY || called == CALLS_MCOUNT) {
			seen->call = at;
			seen->length = code.length;
		}
	}
}

/* The first instruction calls __fentry__: the jump replaces it. */
static bool take_fentry(struct patch_decision *decision, struct patch_function *function,
			const struct seen *seen)
{
	struct patch_module *module = decision->module;
	struct patch_entry *entry = &function->entry;

	if (seen->call != entry->at || seen->length < PATCH_JUMP_BYTES ||
	    patchbytes_is_taken(module, entry->at, seen->length) ||
	    patchbytes_is_entered(module, entry->at, entry->at + seen->length))
		return false;
	entry->way = PATCH_ENTRY_HOOK;
	entry->displaced = seen->length;
	function->flags |= PLAN_FUNCTION_FENTRY;
	return true;
}

/* mcount is called after the prologue. */
static bool take_mcount(struct patch_decision *decision, struct patch_function *function,
			const struct seen *seen)
{
	struct patch_module *module = decision->module;

	if (patchbytes_is_entered(module, seen->call, seen->call + seen->length))
		return false;
	function->hook_call = seen->call;
	function->hook_bytes = seen->length;
	function->flags |= PLAN_FUNCTION_MCOUNT;
	return true;
}

enum plan_reason patchhooks_take(struct patch_decision *decision, struct patch_function *function)
{
	const struct patch_hooks *hooks = &decision->hooks;
	struct seen seen;
	unsigned gprof;

	if (!hooks->has_any)
		return PLAN_FINE;
	patchhooks_see_all(decision->module, function, &seen);
	gprof = seen.counts[CALLS_FENTRY] + seen.counts[CALLS_MCOUNT];
	if (gprof > 1 || (gprof == 1 && !hooks->is_gprof))
		return PLAN_INSTRUMENTED;
	if (seen.counts[CALLS_ENTER] && seen.names_itself && hooks->is_called_by_address) {
		function->way = PLAN_WAY_HOOK;
		return PLAN_FINE;
	}
	if (gprof == 0)
		return PLAN_FINE;
	if (seen.counts[CALLS_FENTRY] ? take_fentry(decision, function, &seen)
				      : take_mcount(decision, function, &seen))
		return PLAN_FINE;
	return PLAN_INSTRUMENTED;
}

bool patchhooks_is_dropped(const struct patch_module *module, uint64_t address)
{
	const struct patch_function *function = patchmodule_function_at(module, address);

	return function && function->hook_bytes && function->hook_call == address;
}

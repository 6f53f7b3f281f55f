/* Queries about single addresses in the code. */
#include "patch/analyse/x86_64/patchbytes.h"

#include "patch/analyse/file/patchframes.h"

bool patchbytes_code(const struct patch_module *module, uint64_t address, struct patch_code *out)
{
	uint64_t left = patchmodule_left(module, address);
	const unsigned char *bytes = patchmodule_at(module, address, left);

	return bytes && patchsweep_is_text(module, address) && patchcode_decode(bytes, left, out);
}

uint64_t patchbytes_before(const struct patch_module *module, uint64_t address, uint64_t floor)
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

bool patchbytes_is_taken(const struct patch_module *module, uint64_t start, uint64_t size)
{
	for (uint64_t at = start; at < start + size && patchsweep_is_text(module, at); at++)
		if (patchbits_has(module->sweep->taken, at - module->targets_start))
			return true;
	return false;
}

void patchbytes_take(struct patch_module *module, uint64_t start, uint64_t size, bool is_taken)
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

static bool patchbytes_is_free(const struct patch_module *module, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end; at++)
		if (!patchsweep_is_text(module, at) || patchmodule_is_target(module, at) ||
		    is_function_start(module, at) || patchbytes_is_taken(module, at, 1))
			return false;
	return true;
}

unsigned patchbytes_padding(const struct patch_module *module, uint64_t address, unsigned need)
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
		else if (patchbytes_code(module, at, &code) && patchcode_is_nop(&code))
			length = code.length;
		if (length == 0 || !patchbytes_is_free(module, at, at + length))
			break;
		at += length;
	}
	return (unsigned)(at - address < need ? at - address : need);
}

bool patchbytes_is_entered(const struct patch_module *module, uint64_t start, uint64_t end)
{
	for (uint64_t at = start + 1; at < end; at++)
		if (patchmodule_is_target(module, at))
			return true;
	return false;
}

bool patchbytes_is_popped(const struct patch_module *module, uint64_t address)
{
	const struct cfi_fde *fde = patchframes_at(module, address);
	struct cfi_row row;

	return fde && cfi_find_in(&module->frames, fde, address, &row) &&
	       patchsweep_is_entry_row(&row);
}

/* Where exceptions continue: a function's call site table (LSDA), as compilers write it for C++ and
 * every language with the same unwinder. */
#include "patch/analyse/patchhandlers.h"

#include "object/unwind/cfi_bytes.h"
#include "patch/analyse/patchsweep.h"

#define OMITTED	 0xffu
#define READ_MAX 8u /* times the file's size: tables that share bytes are malicious */

struct sites {
	struct cfi_bytes bytes;
	uint64_t base; /* landing pads are relative to this */
	uint8_t encoding;
};

struct site {
	uint64_t start, size; /* of the calls, from the function's start */
	uint64_t pad;	      /* 0 = none */
};

/* A number of the table; only absolute encodings are used. */
static uint64_t patchhandlers_take_number(struct cfi_bytes *bytes, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x01:
		return cfi_uleb(bytes);
	case 0x02:
	case 0x0a:
		return cfi_u16(bytes);
	case 0x03:
	case 0x0b:
		return cfi_u32(bytes);
	case 0x00:
	case 0x04:
	case 0x0c:
		return cfi_u64(bytes);
	default:
		bytes->is_bad = true;
		return 0;
	}
}

static bool open_sites(const struct patch_module *module, uint64_t address, uint64_t start,
		       struct sites *out)
{
	uint64_t left = patchmodule_left(module, address), size;
	const unsigned char *at = patchmodule_at(module, address, left);
	uint8_t encoding;

	if (!at)
		return false;
	out->bytes = (struct cfi_bytes){at, at + left, false};
	out->base = start;
	encoding = cfi_u8(&out->bytes);
	if (encoding == 0x1b) {
		uint64_t place = address + (uint64_t)(out->bytes.at - at);

		out->base = place + (uint64_t)(int64_t)(int32_t)cfi_u32(&out->bytes);
	} else if (encoding != OMITTED) {
		return false;
	}
	if (cfi_u8(&out->bytes) != OMITTED)
		cfi_uleb(&out->bytes);
	out->encoding = cfi_u8(&out->bytes);
	size = cfi_uleb(&out->bytes);
	if (out->bytes.is_bad || size > cfi_left(&out->bytes))
		return false;
	out->bytes.end = out->bytes.at + size;
	return true;
}

static bool next_site(struct sites *sites, struct site *out)
{
	if (cfi_left(&sites->bytes) == 0)
		return false;
	out->start = patchhandlers_take_number(&sites->bytes, sites->encoding);
	out->size = patchhandlers_take_number(&sites->bytes, sites->encoding);
	out->pad = patchhandlers_take_number(&sites->bytes, sites->encoding);
	cfi_uleb(&sites->bytes); /* the action */
	return !sites->bytes.is_bad;
}

/* Without a valid table any instruction may be a landing pad. */
static void mark_all(struct patch_module *module, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end && patchsweep_is_text(module, at); at++)
		patchsweep_mark(module, at);
}

void patchhandlers_mark(struct patch_module *module, uint64_t address, uint64_t start, uint64_t end)
{
	struct sites sites;
	struct site site;
	if (module->sweep->handler_bytes > READ_MAX * module->size ||
	    !open_sites(module, address, start, &sites)) {
		mark_all(module, start, end);
		return;
	}
	__atomic_fetch_add(&module->sweep->handler_bytes, cfi_left(&sites.bytes), __ATOMIC_RELAXED);
	while (next_site(&sites, &site))
		if (site.pad != 0)
			patchsweep_mark(module, sites.base + site.pad);
	if (sites.bytes.is_bad)
		mark_all(module, start, end);
}

bool patchhandlers_pass(const struct patch_module *module, const struct cfi_fde *fde, uint64_t pc)
{
	struct sites sites;
	struct site site;

	if (!open_sites(module, fde->handlers, fde->start, &sites))
		return false;
	/* Code outside of all sites may not throw. */
	while (next_site(&sites, &site))
		if (pc - 1 - fde->start - site.start < site.size)
			return site.pad == 0;
	return false;
}

bool patchhandlers_lead_into(const struct patch_module *module, const struct cfi_fde *fde,
			     uint64_t start, uint64_t end)
{
	struct sites sites;
	struct site site;

	if (module->sweep->handler_bytes > READ_MAX * module->size ||
	    !open_sites(module, fde->handlers, fde->start, &sites))
		return true;
	module->sweep->handler_bytes += cfi_left(&sites.bytes);
	while (next_site(&sites, &site)) {
		const uint64_t from = fde->start + site.start;
		const bool is_within = from >= start && from < end && site.size <= end - from;

		if (site.pad != 0 && !is_within && sites.base + site.pad - start < end - start)
			return true;
	}
	return sites.bytes.is_bad;
}

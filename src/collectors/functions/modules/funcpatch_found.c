/* The results of the scan are copied: the module may be unloaded. */
#include "collectors/functions/modules/funcpatch_found.h"

#include <string.h>

#include "base/basename.h"
#include "platform/modulescan.h"

static bool found_begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Kymo's own libraries, and the loader, which runs before trampolines can work. */
bool funcpatch_is_kymo(const char *path)
{
	const char *name = path_base_name(path);

	return found_begins_with(name, "libkymo") || found_begins_with(name, "ld-linux") ||
	       found_begins_with(name, "ld-musl") || found_begins_with(name, "ld-2.");
}

static uint8_t found_digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void found_keep_build_id(struct funcpatch_found *found, const char *digits)
{
	uint32_t size = 0;

	for (; digits && digits[0] && digits[1] && size < PLAN_BUILD_ID_MAX; digits += 2)
		found->build_id[size++] =
			(uint8_t)(found_digit(digits[0]) << 4 | found_digit(digits[1]));
	found->build_id_size = size;
}

void funcpatch_keep_found(struct funcpatch_found *found, const struct modulescan_found *module,
			  uint64_t hash)
{
	memcpy(found->path, module->path, strlen(module->path) + 1);
	found_keep_build_id(found, module->build_id);
	found->path_hash = hash;
	found->start = module->start;
	found->end = module->end;
	found->bias = module->bias;
}

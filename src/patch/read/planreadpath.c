/* The path of a file's plan: the same for the command that makes plans and for the collector inside
 * a program, where nothing of the C library may be used yet. */
#include "patch/read/planreadpath.h"

#include <stdlib.h>
#include <string.h>

struct text { /* written up to the end of its buffer; is_full: it was truncated */
	char *at, *end;
	bool is_full;
};

static void planreadpath_add(struct text *text, const char *more)
{
	for (; *more; more++) {
		if (text->at == text->end)
			text->is_full = true;
		else
			*text->at++ = *more;
	}
}

static void add_byte(struct text *text, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char both[3] = {digits[byte >> 4], digits[byte & 15], '\0'};

	planreadpath_add(text, both);
}

static void planreadpath_add_name(struct text *text, const uint8_t *build_id,
				  uint32_t build_id_size, uint64_t identity)
{
	for (uint32_t i = 0; i < build_id_size; i++)
		add_byte(text, build_id[i]);
	if (build_id_size > 0)
		return;
	planreadpath_add(text, "file-");
	for (unsigned shift = 64; shift > 0; shift -= 8)
		add_byte(text, (uint8_t)(identity >> (shift - 8)));
}

static const char *planreadpath_cost_name(enum patch_cost cost)
{
	return cost == PATCH_COST_COUNTS ? ".counts"
	       : cost == PATCH_COST_FULL ? ".full"
					 : ".coarse";
}

static const char *const suffixes[PLAN_VARIANTS] = {
	[PLAN_VARIANT_EXITS] = "-exits",
	[PLAN_VARIANT_THROTTLE] = "-throttle",
	[PLAN_VARIANT_EXITS | PLAN_VARIANT_THROTTLE] = "-exits-throttle",
	[PLAN_VARIANT_LOOPS] = "-loops",
	[PLAN_VARIANT_LOOPS | PLAN_VARIANT_EXITS] = "-exits-loops",
	[PLAN_VARIANT_LOOPS | PLAN_VARIANT_THROTTLE] = "-throttle-loops",
	[PLAN_VARIANT_LOOPS | PLAN_VARIANT_EXITS | PLAN_VARIANT_THROTTLE] = "-exits-throttle-loops",
	[PLAN_VARIANT_SERIALIZED] = "-serialized",
	[PLAN_VARIANT_SERIALIZED | PLAN_VARIANT_EXITS] = "-exits-serialized",
	[PLAN_VARIANT_SERIALIZED | PLAN_VARIANT_THROTTLE] = "-throttle-serialized",
	[PLAN_VARIANT_SERIALIZED | PLAN_VARIANT_EXITS | PLAN_VARIANT_THROTTLE] =
		"-exits-throttle-serialized",
	[PLAN_VARIANT_SERIALIZED | PLAN_VARIANT_LOOPS] = "-loops-serialized",
	[PLAN_VARIANT_SERIALIZED | PLAN_VARIANT_LOOPS | PLAN_VARIANT_EXITS] =
		"-exits-loops-serialized",
	[PLAN_VARIANT_SERIALIZED | PLAN_VARIANT_LOOPS | PLAN_VARIANT_THROTTLE] =
		"-throttle-loops-serialized",
	[PLAN_VARIANT_SERIALIZED | PLAN_VARIANT_LOOPS | PLAN_VARIANT_EXITS |
		PLAN_VARIANT_THROTTLE] = "-exits-throttle-loops-serialized",
};

const char *plancache_variant_suffix(unsigned variant)
{
	return variant < PLAN_VARIANTS && suffixes[variant] ? suffixes[variant] : "";
}

unsigned plancache_variant(const char *name)
{
	unsigned variant = 0;

	if (name[0] == '\0')
		return 0;
	do {
		variant++;
	} while (variant < PLAN_VARIANTS && strcmp(name, suffixes[variant] + 1) != 0);
	return variant;
}

bool plancache_path_in(const char *cache_home, const char *home, const uint8_t *build_id,
		       uint32_t build_id_size, uint64_t identity, struct plan_kind kind, char *path,
		       size_t size)
{
	struct text text = {path, path + size, false};

	/* By the XDG base directory specification a relative path is ignored. */
	if (cache_home && cache_home[0] == '/') {
		planreadpath_add(&text, cache_home);
	} else if (home && home[0] == '/') {
		planreadpath_add(&text, home);
		planreadpath_add(&text, "/.cache");
	} else {
		return false;
	}
	planreadpath_add(&text, "/kymo/plans/");
	planreadpath_add_name(&text, build_id, build_id_size, identity);
	planreadpath_add(&text, planreadpath_cost_name(kind.cost));
	planreadpath_add(&text, plancache_variant_suffix(kind.variant));
	planreadpath_add(&text, ".plan");
	if (text.is_full || text.at == text.end)
		return false;
	*text.at = '\0';
	return true;
}

bool plancache_path(const uint8_t *build_id, uint32_t build_id_size, uint64_t identity,
		    struct plan_kind kind, char *path, size_t size)
{
	return plancache_path_in(getenv("XDG_CACHE_HOME"), getenv("HOME"), build_id, build_id_size,
				 identity, kind, path, size);
}

/* The path of a file's plan: the same for the command that makes plans and for the collector inside
 * a program, where nothing of the C library may be used yet. Context: any, but for
 * plancache_path(), which reads the environment. */
#ifndef KYMO_PLANREADPATH_H
#define KYMO_PLANREADPATH_H

#include "patch/plan/plan.h"

/* The file with the plan of a module: $XDG_CACHE_HOME/kymo/plans/BUILDID.KIND.plan, which the
 * collector finds by itself; KIND is "counts", "counts-exits", "full-serialized" and so on. False:
 * there is no folder for a cache. */
bool plancache_path(const uint8_t *build_id, uint32_t build_id_size, uint64_t identity,
		    struct plan_kind kind, char *path, size_t size);
/* What a variant adds to file names: "", "-exits", "-throttle", "-exits-throttle". */
const char *plancache_variant_suffix(unsigned variant);
/* The variant of such a suffix without its dash ("" = 0); PLAN_VARIANTS = none. */
unsigned plancache_variant(const char *name);
/* Likewise, with the values of the environment given: where getenv() has nothing yet.  NULL or "" =
 * not set.  Calls nothing of the C library. */
bool plancache_path_in(const char *cache_home, const char *home, const uint8_t *build_id,
		       uint32_t build_id_size, uint64_t identity, struct plan_kind kind, char *path,
		       size_t size);

#endif

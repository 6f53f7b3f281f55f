/* Plans in the user's cache: read from there, or made and stored there.  planreadpath.h has the
 * paths of plans.  One thread. */
#ifndef KYMO_PLANCACHE_H
#define KYMO_PLANCACHE_H

#include "base/status.h"
#include "patch/plan/plan.h"

/* The plan of the file at path, from the cache, or made and stored there (atomically, by renaming).
 * plan_out points into *bytes_out, *size_out bytes that plancache_release() frees. */
enum kymo_status plancache_get(const char *path, struct plan_kind kind, struct plan *plan_out,
			       void **bytes_out, size_t *size_out, struct problem *problem);
void plancache_release(void *bytes, size_t size);

/* Whether instructions can be decoded: the library for that may be missing at run time. KYMO_OK, or
 * KYMO_UNAVAILABLE and one line about the file at path.  To be called before a plan is made. */
enum kymo_status plancache_can_make(const char *path, struct problem *problem);

/* The cache has this very plan, in a file that only this user can have written.  False: it has to
 * be passed to whoever needs it. */
bool plancache_has(const struct plan *plan);
/* Put a plan into the cache, under a path of planreadpath.h; missing folders are created. */
enum kymo_status plancache_put(const char *path, const void *bytes, size_t size,
			       struct problem *problem);
/* Write bytes that could not be cached to the requester's descriptor. */
enum kymo_status plancache_hand(int fd, const void *bytes, size_t size, struct problem *problem);

#endif

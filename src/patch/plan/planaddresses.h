/* The addresses of a plan's code and tables, and what depends on them.  Uses malloc; for large
 * files unwind tables are made by a thread of their own, which has ended on return. */
#ifndef KYMO_PLANADDRESSES_H
#define KYMO_PLANADDRESSES_H

#include "base/status.h"
#include "patch/plan/planblob.h"

struct plan_maker;

/* The step after all code: addresses, distances, owners, symbols, unwind tables.  KYMO_OK, or one
 * line: out of reach, no memory. */
enum kymo_status planaddresses_make(struct plan_maker *maker);

/* Fill in all distances.  set: those of other forms than PLAN_FORM_DISTANCE.  fixups_out has space
 * for link_count offsets from hot; returns how many there are, in ascending order, or SIZE_MAX: one
 * is out of reach. */
typedef bool (*planaddresses_set_fn)(const struct plan_link *link, uint8_t *bytes, uint64_t address,
				     uint64_t target);
size_t planaddresses_resolve(struct plan_blob *blob, const struct plan_addresses *addresses,
			     planaddresses_set_fn set, uint32_t *fixups_out);

#endif

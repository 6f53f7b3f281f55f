/* The recording's tables of strings and regions, with the private indexes of the interned ones.
 * All guarded by the store's lock.  Context: thread. */
#ifndef KYMO_TABLES_H
#define KYMO_TABLES_H

#include "runtime/runtime.h"

/* Reference of text in the recording; 0 for NULL or if the recording is full. */
uint64_t string_intern(const char *text);

/* Reference of arbitrary bytes, written again each time; 0 as above. */
uint64_t string_bytes(const void *bytes, size_t length);

/* The text of a reference from string_intern(). */
const char *string_text(uint64_t reference);

/* As kymo_region_intern(), with the lock held. */
uint32_t region_intern(const struct kymo_region_spec *spec);

/* The record of a region; NULL if there is none. */
const struct kymo_region *region_record(uint32_t id);
uint32_t region_count(void);

/* Region 0, the threads' root.  False if the recording is full.  Context: init. */
bool tables_init(void);

/* What remains after a fork: the old indexes, while the old mapping can still be read. */
struct tables_snapshot {
	const struct kymo_region **regions;
	uint32_t count;
	size_t capacity;
	const char *base;
};
/* Detach the tables from the recording that ends here, for tables_restore(). */
struct tables_snapshot tables_detach(const char *base);
/* Write the same regions, with the same ids, into the recording that is open now, and release
 * the snapshot.  False if the recording is full. */
bool tables_restore(struct tables_snapshot *snapshot);

#endif

/* Rows by address, for the whole process: when warm, every frame of a stack is found here.
 *
 * An entry is two words that are written and read separately, by any thread and by interrupting
 * signal handlers: the second is derived from the address, the row and the generation, so that
 * words that do not match are a miss.  A new generation invalidates all entries at once.  Context:
 * any. */
#ifndef KYMO_ROWCACHE_H
#define KYMO_ROWCACHE_H

#include <stdbool.h>
#include <stdint.h>

#define ROWCACHE_BITS 14u

struct rowcache_entry {
	uint64_t row; /* struct cfi_row */
	uint64_t check;
};

extern struct rowcache_entry rowcache[1u << ROWCACHE_BITS];
extern uint64_t rowcache_generation;

/* The next frame depends on this one's: every instruction counts. */
static inline struct rowcache_entry *rowcache_slot(uint64_t pc)
{
	const uint64_t mask = (1u << ROWCACHE_BITS) - 1;
	const uint64_t scale = sizeof(struct rowcache_entry);

	return (struct rowcache_entry *)((char *)rowcache +
					 (((pc * scale) ^ (pc >> (ROWCACHE_BITS - 4))) &
					  (mask * scale)));
}

static inline uint64_t rowcache_check(uint64_t pc, uint64_t row, uint64_t generation)
{
	return pc ^ ((row + generation) * 0x9e3779b97f4a7c15u);
}

/* The word of an entry, of this cache or of a similar one; false: it is not pc's. */
static inline bool rowcache_entry_get(const struct rowcache_entry *entry, uint64_t pc,
				      uint64_t generation, uint64_t *row_out)
{
	uint64_t row = __atomic_load_n(&entry->row, __ATOMIC_RELAXED);
	uint64_t check = __atomic_load_n(&entry->check, __ATOMIC_RELAXED);

	*row_out = row;
	return check == rowcache_check(pc, row, generation);
}

/* generation: the one before the row was looked up. */
static inline void rowcache_entry_put(struct rowcache_entry *entry, uint64_t pc,
				      uint64_t generation, uint64_t row)
{
	__atomic_store_n(&entry->row, row, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->check, rowcache_check(pc, row, generation), __ATOMIC_RELAXED);
}

/* The row's word; false: not cached. */
static inline bool rowcache_get(uint64_t pc, uint64_t generation, uint64_t *row_out)
{
	return rowcache_entry_get(rowcache_slot(pc), pc, generation, row_out);
}

static inline void rowcache_put(uint64_t pc, uint64_t generation, uint64_t row)
{
	rowcache_entry_put(rowcache_slot(pc), pc, generation, row);
}

static inline uint64_t rowcache_now(void)
{
	return __atomic_load_n(&rowcache_generation, __ATOMIC_ACQUIRE);
}

static inline void rowcache_forget(void)
{
	__atomic_add_fetch(&rowcache_generation, 1, __ATOMIC_ACQ_REL);
}

#endif

/* Entries are replaced in order; a lookup checks all of them. */
#include "object/code/rowranges.h"

#define WAYS 32u

struct way {
	uint64_t first, last, row;
	uint64_t check; /* of all three, and the generation */
};

static struct way ways[WAYS];
static uint32_t next;

static uint64_t check_of(const struct way *way, uint64_t generation)
{
	uint64_t value = way->first + generation;

	value = (value ^ value >> 29) * UINT64_C(0x9e3779b97f4a7c15) + way->last;
	value = (value ^ value >> 31) * UINT64_C(0xbf58476d1ce4e5b9) + way->row;
	return (value ^ value >> 30) * UINT64_C(0x94d049bb133111eb) + 1;
}

bool rowranges_find(uint64_t address, uint64_t generation, uint64_t *row_out)
{
	for (unsigned i = 0; i < WAYS; i++) {
		const struct way way = {
			.first = __atomic_load_n(&ways[i].first, __ATOMIC_RELAXED),
			.last = __atomic_load_n(&ways[i].last, __ATOMIC_RELAXED),
			.row = __atomic_load_n(&ways[i].row, __ATOMIC_RELAXED),
		};

		if (address < way.first || address > way.last ||
		    __atomic_load_n(&ways[i].check, __ATOMIC_RELAXED) != check_of(&way, generation))
			continue;
		*row_out = way.row;
		return true;
	}
	return false;
}

void rowranges_add(uint64_t first, uint64_t last, uint64_t generation, uint64_t row)
{
	const struct way way = {.first = first, .last = last, .row = row};
	struct way *to = &ways[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % WAYS];

	__atomic_store_n(&to->first, first, __ATOMIC_RELAXED);
	__atomic_store_n(&to->last, last, __ATOMIC_RELAXED);
	__atomic_store_n(&to->row, row, __ATOMIC_RELAXED);
	__atomic_store_n(&to->check, check_of(&way, generation), __ATOMIC_RELAXED);
}

/* Cold parts of a function, for one of its loops: which of their code belongs to the loop, because
 * it is reached from there and leads back, and which does not. One thread; uses malloc. */
#ifndef KYMO_PATCHCOLD_H
#define KYMO_PATCHCOLD_H

#include "patch/analyse/patchdecision.h"
#include "patch/analyse/patchloops.h"

struct patch_branches;

enum patch_side {
	PATCH_SIDE_OUTSIDE,
	PATCH_SIDE_INSIDE,
	PATCH_SIDE_GONE, /* from there nothing comes back to the function */
};

struct patch_cold_instruction { /* an instruction of a part */
	uint64_t address, target;
	uint32_t to;	 /* the place at target, or none */
	uint8_t flows;	 /* which ways lead here and from here, for the loop that was asked for */
	bool goes_on;	 /* to the next place */
	bool is_jump;	 /* to target */
	bool is_entered; /* from elsewhere than by a direct jump: a table, or an exception */
};

struct patch_cold {
	const struct patch_module *module;
	uint32_t *first_fragments, *next_fragments; /* of a function: its parts, as a list */
	/* Of the function that is looked at. */
	const struct patch_function *function;
	uint32_t index;
	const struct patch_branches *branches;
	struct patch_cold_instruction *places; /* by address */
	size_t place_count, place_capacity;
	bool is_known;	   /* all of it is */
	bool has_handlers; /* of exceptions */
};

/* False: out of memory, in both. */
bool patchcold_begin(struct patch_cold *cold, const struct patch_module *module);
/* branches: of the function and its parts. */
bool patchcold_of(struct patch_cold *cold, uint32_t function,
		  const struct patch_branches *branches);
void patchcold_release(struct patch_cold *cold);

/* True when the instruction there may go on to the one behind it. */
bool patchcold_goes_on(const struct patch_cold *cold, uint64_t address);
/* True where an instruction of a part is. */
bool patchcold_has(const struct patch_cold *cold, uint64_t address);
static inline bool patchcold_has_fragments(const struct patch_cold *cold)
{
	return cold->place_count > 0;
}

/* Divide the parts by a loop; has_inside, has_outside: jump tables are looked up there.
 * False: it is not certain for all of their code. */
bool patchcold_divide(struct patch_cold *cold, const struct patch_range *loop, bool has_inside,
		      bool has_outside);
/* Then: of an address in a part; PATCH_SIDE_GONE: it is in none. */
enum patch_side patchcold_side(const struct patch_cold *cold, uint64_t address);
#endif

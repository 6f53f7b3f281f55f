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
	PATCH_SIDE_NO_RETURN, /* never returns to the function */
};

struct patch_cold_instruction { /* an instruction of a part */
	uint64_t address, target;
	uint32_t to;	    /* the index of the target's place, or none */
	uint8_t flows;	    /* control flow to and from here, for the loop in question */
	bool falls_through; /* falls through to the next place */
	bool is_jump;	    /* has a branch to target */
	bool is_entered;    /* from elsewhere than by a direct jump: a table, or an exception */
};

struct patch_cold {
	const struct patch_module *module;
	uint32_t *first_fragments, *next_fragments; /* of a function: its parts, as a list */
	/* The current function. */
	const struct patch_function *function;
	uint32_t index;
	const struct patch_branches *branches;
	struct patch_cold_instruction *places; /* by address */
	size_t place_count, place_capacity;
	bool is_known;	   /* all of its code is known */
	bool has_handlers; /* of exceptions */
};

/* False: out of memory, in both. */
bool patchcold_begin(struct patch_cold *cold, const struct patch_module *module);
/* branches: of the function and its parts. */
bool patchcold_of(struct patch_cold *cold, uint32_t function,
		  const struct patch_branches *branches);
void patchcold_release(struct patch_cold *cold);

/* True when the instruction at address may fall through. */
bool patchcold_falls_through(const struct patch_cold *cold, uint64_t address);
/* True when an instruction of a part begins at address. */
bool patchcold_has(const struct patch_cold *cold, uint64_t address);
static inline bool patchcold_has_fragments(const struct patch_cold *cold)
{
	return cold->place_count > 0;
}

/* Divide the parts by a loop; has_inside, has_outside: jump tables are used there. False: not all
 * of their code can be classified. */
bool patchcold_divide(struct patch_cold *cold, const struct patch_range *loop, bool has_inside,
		      bool has_outside);
/* Afterwards: the side of an address in a part; PATCH_SIDE_NO_RETURN: it is in none. */
enum patch_side patchcold_side(const struct patch_cold *cold, uint64_t address);
#endif

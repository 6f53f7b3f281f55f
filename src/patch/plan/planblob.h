/* The machine code of a plan while it is emitted: a hot section that every call executes and a cold
 * one after it, the distances in them that are filled in when all addresses are known, and the
 * starts of unwind rules.
 *
 * One thread; memory belongs to the blob until planblob_release().  When out of memory is_failed is
 * set, and further code is dropped. */
#ifndef KYMO_PLANBLOB_H
#define KYMO_PLANBLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "patch/plan/plan.h"
#include "patch/plan/planmark.h"

struct plan_stretch {
	uint8_t *bytes;
	size_t size, capacity;
};

struct plan_extent { /* hot code with one frame description; its first mark is at start */
	uint32_t start, end;
	uint32_t first_mark, mark_count;
	uint32_t function; /* of the plan; PLAN_SHARED_CODE = it is for all of them */
};
#define PLAN_SHARED_CODE UINT32_MAX

struct plan_blob {
	enum patch_cost cost;
	bool is_serialized; /* PLAN_VARIANT_SERIALIZED */
	bool is_failed;
	struct plan_stretch hot, cold;
	struct plan_link *links;
	size_t link_count, link_capacity;
	struct plan_mark *marks; /* of the hot stretch, by at */
	size_t mark_count, mark_capacity;
	struct plan_mark *cold_marks;
	size_t cold_mark_count, cold_mark_capacity;
	struct plan_extent *extents; /* by start */
	size_t extent_count, extent_capacity;
	/* Code that all functions share: offsets, hot unless stated. */
	uint32_t exit_return[2];  /* [1] keeps the flags */
	uint32_t exit_jump[2];	  /* called before a jump out of the function */
	uint32_t exit_called;	  /* where a function that was called through returns to */
	uint32_t slow_enter;	  /* cold: called */
	uint32_t long_enter;	  /* cold: called */
	uint32_t is_return_point; /* cold: called; zero flag = rax is one */
};

/* A state to restore when a function turns out not to be possible, and where its hot code
 * begins. */
struct plan_state {
	size_t hot, cold, links, marks, cold_marks;
	size_t start;
};

struct plan_out { /* code is appended to a stretch */
	struct plan_blob *blob;
	bool is_cold;
};

void planblob_release(struct plan_blob *blob);

/* Reserve size more bytes.  False: out of memory. */
bool planblob_reserve(struct plan_blob *blob, bool is_cold, size_t size);

static inline void planblob_bytes(struct plan_blob *blob, bool is_cold, const void *bytes,
				  size_t size)
{
	struct plan_stretch *stretch = is_cold ? &blob->cold : &blob->hot;

	if (size == 0 ||
	    (size > stretch->capacity - stretch->size && !planblob_reserve(blob, is_cold, size)))
		return;
	memcpy(stretch->bytes + stretch->size, bytes, size);
	stretch->size += size;
}

/* A 4-byte distance here; its instruction ends behind bytes after it. */
void planblob_link(struct plan_blob *blob, bool is_cold, enum plan_to to, uint64_t target,
		   uint8_t behind);
/* An instruction with a distance to be filled in. */
void planblob_link_form(struct plan_blob *blob, bool is_cold, enum plan_to to, uint64_t target,
			enum plan_form form, uint32_t word);
void planblob_mark(struct plan_blob *blob, bool is_cold, enum plan_rule rule, uint64_t address);
/* As the file's tables describe an address, but with the stack pointer lower by stepped bytes. */
void planblob_mark_stepped(struct plan_blob *blob, bool is_cold, uint64_t address,
			   unsigned stepped);
#define PLAN_ALIGN 16u
#define PLAN_LINE  64u /* a cache line: short code that spans two of them is slower */

/* Pad with int3 to a multiple of alignment, which is one of the above. */
void planblob_align(struct plan_blob *blob, bool is_cold, unsigned alignment);
/* The hot code from start to here, with the marks from first_mark on, is one extent. */
void planblob_extent(struct plan_blob *blob, size_t start, size_t first_mark, uint32_t function);

static inline void planblob_init(struct plan_blob *blob, struct plan_kind kind)
{
	*blob = (struct plan_blob){.cost = kind.cost,
				   .is_serialized = kind.variant & PLAN_VARIANT_SERIALIZED};
}

/* Begin the hot code of a function, or of a loop or copy of one, aligned. */
static inline void planblob_begin(struct plan_blob *blob, struct plan_state *out)
{
	*out = (struct plan_state){.hot = blob->hot.size,
				   .cold = blob->cold.size,
				   .links = blob->link_count,
				   .marks = blob->mark_count,
				   .cold_marks = blob->cold_mark_count};
	planblob_align(blob, false, PLAN_ALIGN);
	out->start = blob->hot.size;
}

/* End it; it is one extent. */
static inline void planblob_end(struct plan_blob *blob, const struct plan_state *state,
				uint32_t function)
{
	planblob_extent(blob, state->start, state->marks, function);
}

/* Discard it. */
static inline void planblob_back(struct plan_blob *blob, const struct plan_state *state)
{
	blob->hot.size = state->hot;
	blob->cold.size = state->cold;
	blob->link_count = state->links;
	blob->mark_count = state->marks;
	blob->cold_mark_count = state->cold_marks;
}

struct plan_addresses { /* addresses of the file */
	uint64_t hot, cold, vector, gate;
};

#endif

/* Python code objects as ids: each is read and recorded when it is first seen.
 *
 * Known codes are found without a lock in a table that only grows; one that is too small is
 * copied and left in place, because other threads may be reading it.  Adding takes a lock that
 * only handlers take, with all signals blocked.  Its holder waits for the store's lock, whose
 * holder may have been interrupted by another handler: that one must not wait for ever. */
#include "collectors/sampler/python/sampler_codes.h"

#include "base/hashset.h"
#include "base/pages.h"
#include "base/probe.h"
#include "base/spin.h"
#include "object/unwind/unwind.h"
#include "pystack/pycode.h"
#include "runtime/control/sampling.h"

#define CAPACITY_FIRST 1024u
#define CO_GENERATORS  (0x20u | 0x80u | 0x200u) /* CO_GENERATOR, _COROUTINE, _ASYNC_GENERATOR */
#define OFFSET_BITS    32
#define YIELDS_MAX     1000u

static const struct pymemory own; /* reads this process's memory directly */

struct code {
	struct pycode_identity identity;
	uint32_t id;
	uint32_t is_whole; /* atomic; set when the rest is complete */
};

struct code_table {
	uint32_t capacity, count; /* count: guarded by the lock */
	struct code code[];
};

static struct code_table *table; /* atomic */
static struct spin code_lock;
static __thread char lock_token __attribute__((tls_model("initial-exec")));

static bool codes_is_same(const struct pycode_identity *a, const struct pycode_identity *b)
{
	return a->code == b->code && a->name == b->name && a->filename == b->filename &&
	       a->lines == b->lines && a->first_line == b->first_line;
}

/* Its slot, or the free slot for it: *is_there_out distinguishes these, because a free slot may
 * be filled with another one at any time. */
static struct code *codes_slot_of(struct code_table *codes, const struct pycode_identity *identity,
				  uint32_t *is_there_out)
{
	struct code *code = codes->code;
	uint32_t is_whole;
	size_t at = probe(hash_word(identity->code >> 4) >> 32, codes->capacity - 1, i,
			  !(is_whole = __atomic_load_n(&code[i].is_whole, __ATOMIC_ACQUIRE)) ||
				  codes_is_same(&code[i].identity, identity));

	*is_there_out = is_whole;
	return &code[at];
}

/* NULL if it is not in the table, or not complete yet. */
static const struct code *codes_find(struct code_table *codes,
				     const struct pycode_identity *identity)
{
	const struct code *code;
	uint32_t is_there = 0;

	code = codes ? codes_slot_of(codes, identity, &is_there) : NULL;
	return is_there ? code : NULL;
}

static void codes_place(struct code_table *codes, const struct pycode_identity *identity,
			uint32_t id)
{
	uint32_t is_there;
	struct code *code = codes_slot_of(codes, identity, &is_there);

	code->identity = *identity;
	code->id = id;
	codes->count++;
	__atomic_store_n(&code->is_whole, 1, __ATOMIC_RELEASE);
}

/* A table with space for one more, at most half full.  The lock is held. */
static struct code_table *codes_table_reserve(void)
{
	struct code_table *before = table, *larger;
	uint32_t capacity = before ? before->capacity * 2 : CAPACITY_FIRST;

	if (before && before->count * 2 < before->capacity)
		return before;
	larger = pages_new(sizeof(*larger) + capacity * sizeof(struct code));
	if (!larger)
		return NULL;
	larger->capacity = capacity;
	for (uint32_t i = 0; before && i < before->capacity; i++)
		if (before->code[i].is_whole)
			codes_place(larger, &before->code[i].identity, before->code[i].id);
	__atomic_store_n(&table, larger, __ATOMIC_RELEASE);
	return larger;
}

/* Read it and write it to the recording.  The lock is held, which also guards the static
 * buffers. */
static bool codes_write(const struct pyruntime *runtime, const struct pycode_identity *identity,
			uint32_t *id_out)
{
	static struct pycode code;
	static char lines[PYCODE_LINES_MAX];
	struct kymo_code_spec spec = {.version = runtime->layout.version,
				      .address = identity->code,
				      .first_line = identity->first_line};

	if (pycode_read(runtime, &own, identity->code, &code)) {
		spec.name = code.name;
		spec.qualname = code.qualname[0] ? code.qualname : NULL;
		spec.file = code.filename;
		spec.first_line = code.first_line;
		spec.flags = code.flags & CO_GENERATORS ? KYMO_CODE_GENERATOR : 0;
		if (code.lines_size <= sizeof(lines) &&
		    unwind_copy(code.lines, lines, code.lines_size)) {
			spec.lines = lines;
			spec.lines_size = code.lines_size;
		}
	}
	return kymo_sample_code(&spec, id_out);
}

static bool codes_add(const struct pyruntime *runtime, const struct pycode_identity *identity,
		      uint32_t *id_out)
{
	const struct code *known;
	struct code_table *codes;
	bool is_added = false;

	if (!spin_acquire_within(&code_lock, (uintptr_t)&lock_token, YIELDS_MAX))
		return false;
	known = codes_find(table, identity);
	codes = known ? NULL : codes_table_reserve();
	if (known) {
		*id_out = known->id;
		is_added = true;
	} else if (codes && codes_write(runtime, identity, id_out)) {
		codes_place(codes, identity, *id_out);
		is_added = true;
	}
	spin_release(&code_lock);
	return is_added;
}

bool sampler_code_frame(const struct pyruntime *runtime, const struct pyframe *frame,
			uint64_t *frame_out)
{
	struct pycode_identity identity;
	const struct code *known;
	uint32_t id = 0;

	if (!pycode_identify(runtime, &own, frame->code, &identity))
		return false;
	known = codes_find(__atomic_load_n(&table, __ATOMIC_ACQUIRE), &identity);
	if (known)
		id = known->id;
	else if (!codes_add(runtime, &identity, &id))
		return false;
	*frame_out = kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)id << OFFSET_BITS | frame->offset);
	return true;
}

/* The codes of the child's recording are numbered from the start. */
void sampler_codes_forked(void)
{
	code_lock.owner = 0;
	table = NULL;
}

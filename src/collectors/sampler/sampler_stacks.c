/* Stacks as ids: each frame is found by its caller's id, in a private table.
 *
 * Most stacks share their outer frames with the previous one, which is compared first; an
 * identical stack costs one comparison per frame and no lookup. */
#include "collectors/sampler/sampler_stacks.h"

#include "base/hashset.h"
#include "base/pages.h"
#include "base/probe.h"
#include "collectors/sampler/python/sampler_interpreter.h"
#include "collectors/sampler/sampler_state.h"
#include "runtime/control/sampling.h"

#define CAPACITY_FIRST 256u
#define PAYLOAD_FIRST  (KYMO_CHUNK_ALIGN - sizeof(struct kymo_chunk))
#define PAYLOAD_MAX    (UINT64_C(256) << 10)
#define CAPACITY_KEPT  4096u /* slots that the next thread gets; larger tables are released */

/* The slot of frame below parent, or the free slot for it. */
static struct sampler_slot *stacks_slot_of(struct sampler_slot *slots, uint32_t capacity,
					   uint64_t frame, uint32_t parent)
{
	uint64_t hash = hash_word(frame ^ frame >> 32 ^ (uint64_t)parent << 20) >> 32;

	return &slots[probe(hash, capacity - 1, i,
			    !slots[i].id ||
				    (slots[i].frame == frame && slots[i].parent == parent))];
}

/* Space for one more, at most two thirds used. */
static bool stacks_reserve(struct sampler_stacks *stacks)
{
	uint32_t capacity = stacks->capacity ? stacks->capacity * 2 : CAPACITY_FIRST;
	struct sampler_slot *larger;

	if (stacks->capacity && stacks->count * 3 < stacks->capacity * 2)
		return true;
	larger = pages_new(capacity * sizeof(*larger));
	if (!larger)
		return false;
	for (uint32_t i = 0; i < stacks->capacity; i++) {
		const struct sampler_slot *slot = &stacks->slots[i];

		if (slot->id)
			*stacks_slot_of(larger, capacity, slot->frame, slot->parent) = *slot;
	}
	pages_free(stacks->slots, stacks->capacity * sizeof(*larger));
	stacks->slots = larger;
	stacks->capacity = capacity;
	return true;
}

static bool has_room(const struct kymo_chunk *chunk)
{
	return chunk &&
	       chunk->size - sizeof(*chunk) - chunk->used >= sizeof(struct kymo_stack_node);
}

static struct kymo_stack_node *stacks_node_space(struct sampler_thread *self)
{
	struct sampler_stacks *stacks = &self->stacks;
	struct kymo_chunk *chunk = stacks->chunk;

	if (!has_room(chunk)) {
		if (!stacks->payload)
			stacks->payload = PAYLOAD_FIRST;
		chunk = kymo_sample_chunk(self->thread, KYMO_CHUNK_STACKS, stacks->payload,
					  sizeof(struct kymo_stack_node), stacks->count + 1);
		if (!chunk)
			return NULL;
		stacks->chunk = chunk;
		if (stacks->payload < PAYLOAD_MAX)
			stacks->payload = stacks->payload * 2 + sizeof(*chunk);
	}
	return (struct kymo_stack_node *)((char *)(chunk + 1) + chunk->used);
}

static uint32_t sampler_stacks_add(struct sampler_thread *self, uint64_t frame, uint32_t parent)
{
	struct sampler_stacks *stacks = &self->stacks;
	struct kymo_stack_node *node = stacks_reserve(stacks) ? stacks_node_space(self) : NULL;

	if (!node)
		return 0;
	node->frame = frame;
	node->parent = parent;
	__atomic_store_n(&stacks->chunk->used, stacks->chunk->used + sizeof(*node),
			 __ATOMIC_RELEASE);
	*stacks_slot_of(stacks->slots, stacks->capacity, frame, parent) =
		(struct sampler_slot){frame, parent, ++stacks->count};
	if (kymo_frame_kind(frame) == KYMO_FRAME_NATIVE &&
	    kymo_sample_note_address(kymo_frame_content(frame)))
		sampler_interpreter_note_module();
	return stacks->count;
}

static uint32_t stacks_find(struct sampler_thread *self, uint64_t frame, uint32_t parent)
{
	struct sampler_stacks *stacks = &self->stacks;
	uint32_t id = 0;

	if (stacks->capacity)
		id = stacks_slot_of(stacks->slots, stacks->capacity, frame, parent)->id;
	return id ? id : sampler_stacks_add(self, frame, parent);
}

uint32_t sampler_stack_id(struct sampler_thread *self, const uint64_t *path, uint32_t count)
{
	struct sampler_stacks *stacks = &self->stacks;
	uint32_t same = 0, id;

	while (same < count && same < stacks->last_count && path[same] == stacks->last[same].frame)
		same++;
	id = same ? stacks->last[same - 1].id : 0;
	for (uint32_t i = same; i < count; i++) {
		id = stacks_find(self, path[i], id);
		if (!id) {
			stacks->last_count = i;
			return 0;
		}
		stacks->last[i].frame = path[i];
		stacks->last[i].id = id;
	}
	stacks->last_count = count;
	return id;
}

void sampler_stacks_reset(struct sampler_stacks *stacks)
{
	stacks->chunk = NULL;
	stacks->payload = 0;
	stacks->last_count = 0;
	if (stacks->capacity > CAPACITY_KEPT) {
		pages_free(stacks->slots, stacks->capacity * sizeof(*stacks->slots));
		stacks->slots = NULL;
		stacks->capacity = 0;
	}
	for (uint32_t i = 0; stacks->count && i < stacks->capacity; i++)
		stacks->slots[i].id = 0;
	stacks->count = 0;
}

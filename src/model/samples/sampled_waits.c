/* Waits of samples by object and location. A row is a class, an object and a location; rows are
 * found by a hash of these. */
#include "model/samples/sampled_waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashset.h"
#include "model/samples/sampled_class.h"
#include "model/samples/sampled_frames.h"
#include "model/samples/sampled_stacks.h"
#include "model/samples/sampled_threads.h"

#define OBJECT_MASK ((UINT64_C(1) << 48) - 1)

struct wait_key {
	uint64_t content; /* of the kernel's frame: number and object */
	uint32_t class, place;
};

struct waits_builder {
	struct recording *recording;
	const struct samples *samples;
	const struct sampled_options *options;
	struct sampled_frames *frames;
	struct symbols *symbols;
	struct sampled_waits *waits;
	struct wait_key *keys; /* of each row */
	const struct sampled_call **calls;
	size_t capacity, key_capacity, call_capacity;
	struct hashset rows; /* values are indexes + 1 */
	double squares;
	bool is_idle; /* of the current thread */
};

struct row_search {
	const struct waits_builder *builder;
	struct wait_key key;
};

static bool is_row(uint64_t value, const void *key)
{
	const struct row_search *search = key;
	const struct wait_key *have = &search->builder->keys[value - 1];

	return have->content == search->key.content && have->class == search->key.class &&
	       have->place == search->key.place;
}

static bool waits_grow(struct waits_builder *builder)
{
	size_t need = builder->waits->count + 1;
	void *grown = array_grow(builder->waits->waits, &builder->capacity, need,
				 sizeof(*builder->waits->waits));

	if (!grown)
		return false;
	builder->waits->waits = grown;
	grown = array_grow(builder->keys, &builder->key_capacity, need, sizeof(*builder->keys));
	if (!grown)
		return false;
	builder->keys = grown;
	grown = array_grow(builder->calls, &builder->call_capacity, need, sizeof(*builder->calls));
	if (!grown)
		return false;
	builder->calls = grown;
	return true;
}

static struct sampled_wait *waits_row_of(struct waits_builder *builder, const struct wait_key *key,
					 const struct sampled_call *call)
{
	struct row_search search = {builder, *key};
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, &key->content, sizeof(key->content)),
				   &key->class, sizeof(key->class) + sizeof(key->place));
	uint64_t known = hashset_find(&builder->rows, hash, is_row, &search);
	size_t index = builder->waits->count;

	if (known)
		return &builder->waits->waits[known - 1];
	if (!waits_grow(builder) || !hashset_insert(&builder->rows, hash, index + 1))
		return NULL;
	builder->waits->waits[index] =
		(struct sampled_wait){.class = (enum sampled_class)key->class};
	builder->keys[index] = *key;
	builder->calls[index] = call;
	builder->waits->count++;
	return &builder->waits->waits[index];
}

static bool waits_sample_add(struct waits_builder *builder, const struct sampled_stack *stack,
			     const struct sample *sample)
{
	enum sampled_class class = sampled_classify(&stack->leaf, sample);
	struct wait_key key = {
		/* The GIL is one object, whatever the underlying futex. */
		.content = class == SAMPLED_GIL ? 0 : stack->leaf.content,
		.class = class,
		.place = stack->place_region,
	};
	struct sampled_wait *wait;

	builder->waits->total_ns += sample->wall_ns;
	builder->waits->idle_ns += builder->is_idle ? sample->wall_ns : 0;
	builder->squares += sample->wall_ns * sample->wall_ns;
	if (sampled_is_running(class))
		return true;
	wait = waits_row_of(builder, &key, class == SAMPLED_GIL ? NULL : stack->leaf.call);
	if (!wait)
		return false;
	wait->count++;
	wait->ns += sample->wall_ns;
	wait->idle_ns += builder->is_idle ? sample->wall_ns : 0;
	return true;
}

static bool waits_thread_add(struct waits_builder *builder, uint32_t thread)
{
	struct sample_position position = {0};
	struct sampled_stack *stacks;
	struct sample sample;
	bool is_complete = true;

	if (!builder->samples->threads[thread].counts[KYMO_SAMPLE_REALTIME])
		return true;
	stacks = sampled_stacks_new(builder->frames, builder->samples, thread);
	if (!stacks)
		return false;
	builder->is_idle = sampled_thread_is_idle(builder->samples, thread, stacks);
	while (is_complete && samples_next(builder->samples, thread, &position, &sample)) {
		if (sample.kind == KYMO_SAMPLE_REALTIME)
			is_complete = waits_sample_add(builder, &stacks[sample.stack], &sample);
	}
	free(stacks);
	return is_complete;
}

static bool name_address(struct waits_builder *builder, uint64_t address, const char **out)
{
	char *text = symbols_describe(builder->symbols, builder->recording, address);
	bool is_kept =
		text ? lines_add(&builder->waits->texts, &builder->waits->text_count, "%s", text)
		     : lines_add(&builder->waits->texts, &builder->waits->text_count, "0x%" PRIx64,
				 address);

	free(text);
	if (is_kept)
		*out = builder->waits->texts[builder->waits->text_count - 1];
	return is_kept;
}

static bool name_descriptor(struct waits_builder *builder, uint64_t content, const char **out)
{
	static const char *const kinds[] = {
		[KYMO_DESCRIPTOR_UNKNOWN] = "",
		[KYMO_DESCRIPTOR_FILE] = ", file",
		[KYMO_DESCRIPTOR_PIPE] = ", pipe",
		[KYMO_DESCRIPTOR_SOCKET] = ", socket",
		[KYMO_DESCRIPTOR_TERMINAL] = ", terminal",
		[KYMO_DESCRIPTOR_OTHER] = "",
	};
	unsigned kind = sampled_call_descriptor(content);

	if (!lines_add(&builder->waits->texts, &builder->waits->text_count, "descriptor %u%s",
		       (unsigned)(uint32_t)content,
		       kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : ""))
		return false;
	*out = builder->waits->texts[builder->waits->text_count - 1];
	return true;
}

/* Name the object from the kernel's frame: a lock's address, else a descriptor. */
static bool name_object(struct waits_builder *builder, size_t index)
{
	struct sampled_wait *wait = &builder->waits->waits[index];
	uint64_t object = builder->keys[index].content & OBJECT_MASK;

	if (!object)
		return true;
	return wait->class == SAMPLED_LOCK ? name_address(builder, object, &wait->object)
					   : name_descriptor(builder, object, &wait->object);
}

static bool row_finish(struct waits_builder *builder, size_t index, double effective)
{
	struct sampled_wait *wait = &builder->waits->waits[index];
	const struct region *place = &builder->recording->regions[builder->keys[index].place];

	if (builder->calls[index])
		wait->call = builder->calls[index]->name;
	if (builder->keys[index].place) {
		wait->function = place->name;
		wait->file = place->file;
		wait->line = place->flags & REGION_IS_LINE ? place->line : 0;
	}
	if (builder->waits->total_ns > 0)
		wait->share = sampled_interval(wait->ns / builder->waits->total_ns, effective);
	return name_object(builder, index);
}

static int wait_compare(const void *left, const void *right)
{
	const struct sampled_wait *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static bool waits_build(struct waits_builder *builder)
{
	struct sampled_waits *waits = builder->waits;

	builder->symbols = symbols_new();
	if (!builder->symbols || sampled_frames_new(builder->recording, builder->samples,
						    builder->options, &builder->frames) != KYMO_OK)
		return false;
	for (uint32_t i = 0; i < builder->recording->thread_count; i++) {
		if (!waits_thread_add(builder, i))
			return false;
	}
	if (builder->squares > 0)
		waits->effective_count = waits->total_ns * waits->total_ns / builder->squares;
	for (size_t i = 0; i < waits->count; i++) {
		if (!row_finish(builder, i, waits->effective_count))
			return false;
	}
	if (waits->count > 1)
		qsort(waits->waits, waits->count, sizeof(*waits->waits), wait_compare);
	return true;
}

enum kymo_status sampled_waits_new(struct recording *recording, const struct samples *samples,
				   const struct sampled_options *options,
				   struct sampled_waits **out)
{
	struct sampled_options wanted = *options;
	struct waits_builder builder = {
		.recording = recording,
		.samples = samples,
		.options = &wanted,
		.waits = calloc(1, sizeof(*builder.waits)),
	};
	bool is_complete;

	wanted.has_lines = true;
	is_complete = builder.waits && waits_build(&builder);
	sampled_frames_free(builder.frames);
	symbols_free(builder.symbols);
	hashset_release(&builder.rows);
	free(builder.keys);
	free(builder.calls);
	if (!is_complete) {
		sampled_waits_free(builder.waits);
		return KYMO_MEMORY;
	}
	*out = builder.waits;
	return KYMO_OK;
}

void sampled_waits_free(struct sampled_waits *waits)
{
	if (!waits)
		return;
	lines_free(waits->texts, waits->text_count);
	free(waits->waits);
	free(waits);
}

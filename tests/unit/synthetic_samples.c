/* The samples of synthetic recordings, their stacks and code objects. */
#include "synthetic.h"

#include <string.h>

#include "synthetic_insides.h"

uint32_t synthetic_code(struct synthetic *synthetic, const char *name, const char *file,
			uint32_t first_line)
{
	struct kymo_code code = {
		.name = synthetic_string(synthetic, name),
		.qualname = synthetic_string(synthetic, name),
		.file = synthetic_string(synthetic, file),
		.first_line = first_line,
		.version = 3 << 8 | 11,
	};
	uint64_t offset;
	uint32_t id = synthetic_append_numbered(synthetic, KYMO_CHUNK_CODES, &code, sizeof(code),
						&offset);

	if (id >= sizeof(synthetic->code_offsets) / sizeof(synthetic->code_offsets[0]))
		synthetic_must(NULL);
	synthetic->code_offsets[id] = offset;
	return id;
}

struct kymo_code *synthetic_code_at(struct synthetic *synthetic, uint32_t id)
{
	return (struct kymo_code *)(synthetic->bytes + synthetic->code_offsets[id]);
}

uint32_t synthetic_stack(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			 uint64_t frame)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	uint64_t key[] = {thread, parent, frame};
	uint64_t hash = hash_bytes(HASH_SEED, key, sizeof(key));
	uint64_t known = hashset_find_key(&synthetic->stacks, hash);
	uint64_t before = state->stacks.offset;
	struct kymo_stack_node *node;

	if (known)
		return (uint32_t)known;
	node = synthetic_append(synthetic, &state->stacks, KYMO_CHUNK_STACKS, thread, sizeof(*node),
				sizeof(*node));
	if (state->stacks.offset != before)
		synthetic_chunk_at(synthetic, state->stacks.offset)->base = state->stack_count + 1;
	*node = (struct kymo_stack_node){.frame = frame, .parent = parent};
	if (!hashset_insert(&synthetic->stacks, hash, ++state->stack_count))
		synthetic_must(NULL);
	return state->stack_count;
}

void synthetic_sample_bytes(struct synthetic *synthetic, uint32_t thread, const void *bytes,
			    size_t size)
{
	memcpy(synthetic_append(synthetic, &synthetic->threads[thread].samples, KYMO_CHUNK_SAMPLES,
				thread, 0, size),
	       bytes, size);
}

static size_t leb128(unsigned char *to, uint64_t number)
{
	size_t size = 0;

	do {
		to[size++] = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
		number >>= 7;
	} while (number);
	return size;
}

/* The record that a sample at ticks would be, behind what the chunk has. */
static size_t sample_write(unsigned char *to, uint64_t units, enum kymo_sample_kind kind,
			   enum kymo_gil_state gil, uint32_t stack, uint64_t cpu_ns, uint64_t value)
{
	size_t size = 1;

	to[0] = (unsigned char)((unsigned)kind | (unsigned)gil << 4);
	size += leb128(to + size, units);
	if (kind != KYMO_SAMPLE_BEGIN && kind != KYMO_SAMPLE_LOST)
		size += leb128(to + size, stack);
	if (cpu_ns != SYNTHETIC_NONE) {
		to[0] |= 8;
		size += leb128(to + size, cpu_ns / 1024);
	}
	if (value != SYNTHETIC_NONE) {
		to[0] |= 0x80;
		size += leb128(to + size, value);
	}
	return size;
}

void synthetic_sample(struct synthetic *synthetic, uint32_t thread, enum kymo_sample_kind kind,
		      enum kymo_gil_state gil, uint64_t time, uint32_t stack, uint64_t cpu_ns,
		      uint64_t value)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	struct chunk_cursor probe = state->samples;
	uint64_t units = (synthetic_ticks(time) - state->sample_ticks) / 1024;
	unsigned char record[48];

	if (!probe.offset || synthetic_chunk_at(synthetic, probe.offset)->size -
					     sizeof(struct kymo_chunk) - probe.tail <
				     sizeof(record)) {
		state->samples.offset = synthetic_chunk(synthetic, KYMO_CHUNK_SAMPLES, thread, 0,
							synthetic->payload, 0);
		state->samples.tail = 0;
		synthetic_chunk_at(synthetic, state->samples.offset)->base = synthetic_ticks(time);
		state->sample_ticks = synthetic_ticks(time);
		units = 0;
	}
	state->sample_ticks += units * 1024;
	synthetic_sample_bytes(synthetic, thread, record,
			       sample_write(record, units, kind, gil, stack, cpu_ns, value));
}

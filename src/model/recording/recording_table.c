/* Reading one table of a recording, and its strings.
 *
 * Ids are dense, so an id beyond what the file could hold is damage; that bounds every array by
 * the size of the file. */
#include "model/recording/recording_table.h"

#include <inttypes.h>
#include <string.h>

#include "model/recording/chunks.h"

const char *recording_text(const struct recording *recording, uint64_t reference, unsigned *bad)
{
	const struct chunk *chunk;
	struct kymo_string string;
	uint64_t available;
	const char *text;

	if (reference == 0)
		return NULL;
	(*bad)++;
	chunk = chunk_holding(recording, KYMO_CHUNK_STRINGS, reference);
	if (!chunk || reference % sizeof(uint64_t) != 0)
		return NULL;
	available = chunk->offset + chunk->bytes - reference;
	if (available <= sizeof(string))
		return NULL;
	memcpy(&string, recording->data + reference, sizeof(string));
	text = (const char *)recording->data + reference + sizeof(string);
	if (string.length >= available - sizeof(string) || text[string.length] != '\0')
		return NULL;
	(*bad)--;
	return text;
}

const char *recording_string(const struct recording *recording, uint64_t reference)
{
	unsigned bad = 0;

	return recording_text(recording, reference, &bad);
}

const unsigned char *recording_bytes(const struct recording *recording, uint64_t reference,
				     uint32_t *size_out)
{
	const char *text = recording_string(recording, reference);

	if (!text)
		return NULL;
	memcpy(size_out, text - sizeof(struct kymo_string), sizeof(*size_out));
	return (const unsigned char *)text;
}

uint32_t recording_table_length(struct recording *recording, enum kymo_chunk_type type)
{
	size_t chunk_count;
	const struct chunk *chunks = chunks_of(recording, type, &chunk_count);
	uint64_t length = 0;

	for (size_t i = 0; i < chunk_count; i++) {
		uint64_t count = chunks[i].bytes / chunks[i].record_size;
		uint64_t limit = recording->size / chunks[i].record_size;

		if (chunks[i].base > limit || chunks[i].base + count > UINT32_MAX - 1)
			recording_add_problem(recording,
					      "chunk at byte %" PRIu64 ": first id %" PRIu64
					      " is not possible; left out",
					      chunks[i].offset - sizeof(struct kymo_chunk),
					      chunks[i].base);
		else if (chunks[i].base + count > length)
			length = chunks[i].base + count;
	}
	return (uint32_t)length;
}

void recording_table_load(struct recording *recording, enum kymo_chunk_type type, uint32_t length,
			  table_load_fn load)
{
	size_t chunk_count;
	const struct chunk *chunks = chunks_of(recording, type, &chunk_count);
	unsigned bad = 0;

	for (size_t i = 0; i < chunk_count; i++) {
		const unsigned char *record = recording->data + chunks[i].offset;
		uint64_t count = chunks[i].bytes / chunks[i].record_size;

		for (uint64_t k = 0; k < count && chunks[i].base + k < length; k++) {
			load(recording, (uint32_t)(chunks[i].base + k), record, &bad);
			record += chunks[i].record_size;
		}
	}
	if (bad)
		recording_add_problem(recording, "%u references to no string; names are missing",
				      bad);
}

/* Texts in blocks of memory. */
#include "merge/merge_texts.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u

struct merge_block {
	struct merge_block *next;
	size_t used, size;
	char bytes[];
};

static bool texts_is_same(uint64_t value, const void *text)
{
	return strcmp((const char *)(uintptr_t)value, text) == 0;
}

static char *texts_keep(struct merge_texts *texts, const char *text, size_t size)
{
	struct merge_block *block = texts->blocks;

	if (!block || block->size - block->used < size) {
		size_t capacity = size > BLOCK_BYTES ? size : BLOCK_BYTES;

		block = malloc(sizeof(*block) + capacity);
		if (!block)
			return NULL;
		*block = (struct merge_block){.next = texts->blocks, .size = capacity};
		texts->blocks = block;
		texts->bytes += sizeof(*block) + capacity;
	}
	memcpy(block->bytes + block->used, text, size);
	block->used += size;
	return block->bytes + block->used - size;
}

const char *merge_text(struct merge_texts *texts, const char *text)
{
	uint64_t hash, value;
	size_t size;
	char *kept;

	if (!text)
		return NULL;
	size = strlen(text) + 1;
	hash = hash_bytes(HASH_SEED, text, size);
	value = hashset_find(&texts->by_content, hash, texts_is_same, text);
	if (value)
		return (const char *)(uintptr_t)value;
	kept = texts_keep(texts, text, size);
	if (!kept || !hashset_insert(&texts->by_content, hash, (uintptr_t)kept))
		return NULL;
	texts->bytes += 3 * sizeof(struct hashset_slot);
	return kept;
}

void merge_texts_release(struct merge_texts *texts)
{
	while (texts->blocks) {
		struct merge_block *next = texts->blocks->next;

		free(texts->blocks);
		texts->blocks = next;
	}
	hashset_release(&texts->by_content);
	*texts = (struct merge_texts){0};
}

/* One hash table by address; entries of the same address are few. */
#include "attach/python/codetable.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pystack/pycode.h"
#include "pystack/walk/pywalk.h"

#define CHECK_NS  UINT64_C(200000000)
#define BYTES_MAX (UINT64_C(1) << 30) /* limit of the memory that a process can make kymo use */

void codetable_release(struct codetable *table)
{
	for (size_t i = 0; i < table->count; i++) {
		free(table->entries[i].name);
		free(table->entries[i].qualname);
		free(table->entries[i].file);
		free(table->entries[i].lines);
	}
	free(table->entries);
	hashset_release(&table->index);
	*table = (struct codetable){0};
}

static bool codetable_is_same(const struct pycode_identity *left,
			      const struct pycode_identity *right)
{
	return left->code == right->code && left->name == right->name &&
	       left->filename == right->filename && left->lines == right->lines &&
	       left->first_line == right->first_line;
}

/* The line table; without it only the first line is known. */
static void codetable_read_lines(struct codetable_entry *entry, const struct pycode *code,
				 const struct pymemory *memory)
{
	if (code->lines_size == 0 || code->lines_size > PYCODE_LINES_MAX)
		return;
	entry->lines = malloc(code->lines_size);
	if (!entry->lines)
		return;
	if (memory->read(memory->context, code->lines, entry->lines, code->lines_size)) {
		entry->lines_size = code->lines_size;
		return;
	}
	free(entry->lines);
	entry->lines = NULL;
}

static bool codetable_fill(struct codetable_entry *entry, const struct pyruntime *runtime,
			   const struct pymemory *memory)
{
	struct pycode code;

	if (!pycode_read(runtime, memory, entry->address, &code) ||
	    !pycode_measure(runtime, memory, entry->address, &entry->shape))
		return false;
	entry->name = strdup(code.name);
	entry->qualname = strdup(code.qualname);
	entry->file = strdup(code.filename);
	entry->first_line = code.first_line;
	entry->flags = code.flags;
	if (!entry->name || !entry->qualname || !entry->file) {
		free(entry->name);
		free(entry->qualname);
		free(entry->file);
		return false;
	}
	codetable_read_lines(entry, &code, memory);
	return true;
}

static bool codetable_add(struct codetable *table, const struct pyruntime *runtime,
			  const struct pymemory *memory, const struct pycode_identity *identity,
			  uint64_t now_ns, uint32_t *id_out)
{
	struct codetable_entry *entries =
		array_grow(table->entries, &table->capacity, table->count + 1, sizeof(*entries));
	struct codetable_entry entry = {
		.address = identity->code,
		.identity = *identity,
		.checked_ns = now_ns,
		.latest = (uint32_t)table->count,
	};

	if (!entries)
		return false;
	table->entries = entries;
	if (table->bytes > BYTES_MAX || !codetable_fill(&entry, runtime, memory))
		return false;
	table->bytes += sizeof(entry) + strlen(entry.name) + strlen(entry.qualname) +
			strlen(entry.file) + entry.lines_size;
	*id_out = (uint32_t)table->count;
	entries[table->count++] = entry;
	return true;
}

bool codetable_find(struct codetable *table, const struct pyruntime *runtime,
		    const struct pymemory *memory, uint64_t address, uint64_t now_ns,
		    uint32_t *id_out)
{
	uint64_t hash = hash_word(address);
	uint64_t first = hashset_find_key(&table->index, hash);
	struct codetable_entry *entry =
		first ? &table->entries[table->entries[first - 1].latest] : NULL;
	struct pycode_identity identity;

	if (entry && now_ns - entry->checked_ns < CHECK_NS) {
		*id_out = table->entries[first - 1].latest;
		return true;
	}
	if (!pycode_identify(runtime, memory, address, &identity))
		return false;
	if (entry && codetable_is_same(&identity, &entry->identity)) {
		entry->checked_ns = now_ns;
		*id_out = table->entries[first - 1].latest;
		return true;
	}
	if (!codetable_add(table, runtime, memory, &identity, now_ns, id_out))
		return false;
	if (first)
		table->entries[first - 1].latest = *id_out;
	else
		hashset_insert(&table->index, hash, (uint64_t)*id_out + 1);
	return true;
}

bool codetable_shape(const struct codetable *table, uint64_t address, uint64_t now_ns,
		     struct pycode_shape *out)
{
	uint64_t first = hashset_find_key(&table->index, hash_word(address));
	const struct codetable_entry *entry;

	if (!first)
		return false;
	entry = &table->entries[table->entries[first - 1].latest];
	if (now_ns - entry->checked_ns >= CHECK_NS)
		return false;
	*out = entry->shape;
	return true;
}

/* The code that records a function's calls. */
#include "model/code/functions_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"

static bool code_add(struct functions_code *code, uint64_t start, uint32_t id, bool is_end)
{
	struct functions_owned *items =
		array_grow(code->items, &code->capacity, code->count + 1, sizeof(*items));

	if (!items)
		return false;
	code->items = items;
	items[code->count++] = (struct functions_owned){start, id, is_end};
	return true;
}

bool functions_code_add(struct functions_code *code, const struct kymo_function_table *table,
			const unsigned char *owners, uint64_t bytes)
{
	uint64_t last = 0;
	bool is_any = false;

	if (table->code == 0 || table->code > UINT64_MAX - table->code_size)
		return true;
	for (uint64_t i = 0; i < bytes / sizeof(struct kymo_function_code); i++) {
		struct kymo_function_code owner;

		memcpy(&owner, owners + i * sizeof(owner), sizeof(owner));
		if (owner.offset < last || owner.offset >= table->code_size)
			break;
		last = owner.offset;
		is_any = true;
		if (!code_add(code, table->code + owner.offset, owner.id, false))
			return false;
	}
	return !is_any || code_add(code, table->code + table->code_size, UINT32_MAX, true);
}

/* At equal addresses the end of one code comes first; else in the order of ids. */
static int code_compare(const void *left, const void *right)
{
	const struct functions_owned *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->is_end != b->is_end)
		return a->is_end ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

void functions_code_sort(struct functions_code *code)
{
	if (code->count > 1)
		qsort(code->items, code->count, sizeof(*code->items), code_compare);
}

bool functions_code_at(const struct functions_code *code, uint64_t address, uint32_t *id_out)
{
	size_t low = partition_point(code->count, i, code->items[i].start <= address);

	if (low == 0 || code->items[low - 1].is_end)
		return false;
	*id_out = code->items[low - 1].id;
	return true;
}

void functions_code_release(struct functions_code *code)
{
	free(code->items);
	memset(code, 0, sizeof(*code));
}

/* Numbers of names in callgrind files. */
#include "import/formats/callgrind_names.h"

#include <stdlib.h>

#include "base/array.h"
#include "import/text_lines.h"

struct name_key {
	const struct callgrind_names *names;
	uint64_t number;
};

static bool names_match(uint64_t value, const void *data)
{
	const struct name_key *key = data;

	return key->names->names[value - 1].number == key->number;
}

static bool names_define(struct callgrind_names *names, uint64_t number, uint64_t found,
			 struct span name)
{
	struct callgrind_name *grown;

	if (found) { /* parts restart the numbering */
		names->names[found - 1].name = name;
		return true;
	}
	grown = array_grow(names->names, &names->capacity, names->count + 1, sizeof(*grown));
	if (!grown)
		return false;
	names->names = grown;
	grown[names->count++] = (struct callgrind_name){number, name};
	return hashset_insert(&names->index, hash_word(number), names->count);
}

enum callgrind_answer callgrind_name(struct callgrind_names *names, struct span text,
				     struct span *name_out)
{
	struct span rest = span_trim(text);
	struct name_key key = {.names = names};
	uint64_t found;

	*name_out = rest;
	if (!span_begins(rest, "("))
		return CALLGRIND_NAMED;
	rest = span_from(rest, 1);
	if (!span_number(&rest, &key.number) || !span_begins(rest, ")"))
		return CALLGRIND_NAMED; /* "(below main)" */
	rest = span_trim(span_from(rest, 1));
	found = hashset_find(&names->index, hash_word(key.number), names_match, &key);
	if (rest.size) {
		*name_out = rest;
		return names_define(names, key.number, found, rest) ? CALLGRIND_NAMED
								    : CALLGRIND_MEMORY;
	}
	if (!found)
		return CALLGRIND_UNKNOWN;
	*name_out = names->names[found - 1].name;
	return CALLGRIND_NAMED;
}

void callgrind_names_release(struct callgrind_names *names)
{
	hashset_release(&names->index);
	free(names->names);
	*names = (struct callgrind_names){0};
}

/* Converts requests and debug information to the bytes that the collector reads. */
#include "cli/instrument/function_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"
#include "object/debug/debug_values.h"

#define NAMED_MAX 8u /* functions that the message names */

struct building {
	const char *path;
	const struct function_wish *wishes;
	size_t count;
	struct debug_signature *signatures; /* of those that are possible, by address */
	size_t signature_count;
	struct textbuf functions, values, texts, missing;
	uint32_t value_count, function_count, missing_count;
	bool has_debug;
};

static uint32_t values_add_text(struct building *building, const char *text)
{
	uint32_t at = (uint32_t)building->texts.length;

	textbuf_bytes(&building->texts, text, strlen(text) + 1);
	return at;
}

static void function_values_add(struct building *building, const struct debug_value *from,
				const char *name)
{
	struct values_value value = {.place = from->place, .kind = from->kind, .size = from->size};

	value.name = values_add_text(building, name);
	value.words = from->words ? values_add_text(building, from->words) : 0;
	textbuf_bytes(&building->values, (const char *)&value, sizeof(value));
	building->value_count++;
}

static void values_add_function(struct building *building, const struct function_wish *wish,
				const struct debug_signature *signature)
{
	bool has_end = wish->wants & FUNCTION_WANTS_RESULT;
	struct values_function function = {
		.index = wish->index,
		.name = values_add_text(building, wish->name ? wish->name : ""),
		.first = building->value_count,
		.has_result = has_end && signature->result.kind,
		.is_ended = 1,
	};

	if (wish->wants & FUNCTION_WANTS_ARGUMENTS) {
		function.count = signature->count;
		for (unsigned i = 0; i < signature->count; i++)
			function_values_add(building, &signature->values[i],
					    signature->values[i].name ? signature->values[i].name
								      : "?");
	}
	if (function.has_result)
		function_values_add(building, &signature->result, "return");
	textbuf_bytes(&building->functions, (const char *)&function, sizeof(function));
	building->function_count++;
}

static void miss(struct building *building, const char *name)
{
	if (building->missing_count++ >= NAMED_MAX)
		return;
	if (building->missing.length)
		textbuf_text(&building->missing, ", ");
	textbuf_text(&building->missing, name ? name : "?");
}

static int values_by_address(const void *key, const void *item)
{
	const struct debug_signature *signature = item;
	uint64_t address = *(const uint64_t *)key;

	return address < signature->address ? -1 : address > signature->address;
}

static bool values_ask(struct building *building)
{
	building->signatures = calloc(building->count + 1, sizeof(*building->signatures));
	if (!building->signatures)
		return false;
	for (size_t i = 0; i < building->count; i++)
		if (building->wishes[i].is_possible)
			building->signatures[building->signature_count++].address =
				building->wishes[i].address;
	building->has_debug =
		debug_values_find(building->path, building->signatures, building->signature_count);
	return true;
}

static void values_take_all(struct building *building)
{
	for (size_t i = 0; i < building->count; i++) {
		const struct function_wish *wish = &building->wishes[i];
		const struct debug_signature *signature =
			wish->is_possible
				? bsearch(&wish->address, building->signatures,
					  building->signature_count, sizeof(*building->signatures),
					  values_by_address)
				: NULL;

		if (signature && signature->is_known && !signature->is_changed)
			values_add_function(building, wish, signature);
		else
			miss(building, wish->name);
	}
}

static void values_join(struct building *building, struct function_value_list *out)
{
	struct values_header header = {.function_count = building->function_count,
				       .value_count = building->value_count,
				       .texts_size = (uint32_t)building->texts.length};
	size_t size = sizeof(header) + building->functions.length + building->values.length +
		      building->texts.length;
	unsigned char *at;

	memcpy(header.magic, VALUES_MAGIC, sizeof(header.magic));
	header.size = (uint32_t)((size + 7) / 8 * 8);
	out->bytes = at = calloc(1, header.size);
	if (!at)
		return;
	out->size = header.size;
	at = (unsigned char *)memcpy(at, &header, sizeof(header)) + sizeof(header);
	if (building->functions.length)
		memcpy(at, building->functions.data, building->functions.length);
	at += building->functions.length;
	if (building->values.length)
		memcpy(at, building->values.data, building->values.length);
	memcpy(at + building->values.length, building->texts.data, building->texts.length);
}

/* "app: no arguments or return values of f, g and 3 more: …" */
static void values_describe_missing(struct building *building, struct function_value_list *out)
{
	const char *why = building->has_debug ? "its debug information does not say where they are"
					      : "it has no debug information (compile it with -g)";
	char more[32] = "";

	if (building->missing_count == 0 || building->missing.has_failed)
		return;
	if (building->missing_count > NAMED_MAX)
		snprintf(more, sizeof(more), " and %u more", building->missing_count - NAMED_MAX);
	if (asprintf(&out->missing, "'%s': no arguments and return values of %s%s: %s",
		     building->path, building->missing.data, more, why) < 0)
		out->missing = NULL;
}

enum kymo_status function_values_make(const char *path, const struct function_wish *wishes,
				      size_t count, struct function_value_list *out,
				      struct problem *problem)
{
	struct building building = {.path = path, .wishes = wishes, .count = count};
	bool is_done = values_ask(&building);

	*out = (struct function_value_list){0};
	if (is_done) {
		values_add_text(&building, "");
		values_take_all(&building);
		values_describe_missing(&building, out);
		is_done = !building.functions.has_failed && !building.values.has_failed &&
			  !building.texts.has_failed;
		if (is_done)
			values_join(&building, out);
	}
	debug_values_release(building.signatures, building.signature_count);
	free(building.signatures);
	textbuf_release(&building.functions);
	textbuf_release(&building.values);
	textbuf_release(&building.texts);
	textbuf_release(&building.missing);
	if (is_done && out->bytes)
		return KYMO_OK;
	function_values_release(out);
	return problem_set(problem, KYMO_MEMORY, "out of memory");
}

void function_values_release(struct function_value_list *list)
{
	free(list->bytes);
	free(list->missing);
	*list = (struct function_value_list){0};
}

/* Names of functions in other tools' files. */
#include "import/function_names.h"

#include <string.h>

#include "import/text_lines.h"

static bool names_ends_with(struct span text, const char *end)
{
	size_t size = strlen(end);

	return text.size >= size && memcmp(text.at + text.size - size, end, size) == 0;
}

enum kymo_region_kind function_kind(struct span file)
{
	bool is_python = names_ends_with(file, ".py") || names_ends_with(file, ".pyx") ||
			 (file.size > 2 && file.at[0] == '<' && names_ends_with(file, ">"));

	return is_python ? KYMO_REGION_PYTHON : KYMO_REGION_NATIVE;
}

/* Remove and return the number after the last colon; 0 = there is none. */
static uint32_t take_line(struct span *place)
{
	const char *colon = place->size ? memrchr(place->at, ':', place->size) : NULL;
	struct span line;
	uint64_t number;

	if (!colon || colon == place->at)
		return 0;
	line = span_from(*place, (size_t)(colon - place->at) + 1);
	if (!span_number(&line, &number) || line.size || number > INT32_MAX)
		return 0;
	place->size = (size_t)(colon - place->at);
	return (uint32_t)number;
}

void function_from_label(struct span label, struct imported_function *function)
{
	const char *open = names_ends_with(label, ")") ? memrchr(label.at, '(', label.size) : NULL;
	struct span place, name;
	uint32_t line;

	*function = (struct imported_function){.kind = KYMO_REGION_NATIVE, .name = label};
	if (!open || open <= label.at + 1 || open[-1] != ' ')
		return;
	name = span_trim((struct span){label.at, (size_t)(open - label.at)});
	place = (struct span){open + 1, (size_t)(label.at + label.size - open) - 2};
	line = take_line(&place);
	/* "operator new (size)" is a name: a location has a line, or looks like a file. */
	if (name.size == 0 || place.size == 0 || (!line && !memchr(place.at, '.', place.size)))
		return;
	function->name = name;
	function->file = place;
	function->line = line;
	function->kind = function_kind(place);
}

bool function_from_austin(struct span label, struct imported_function *function)
{
	struct span place = label;
	const char *colon;

	if (!take_line(&place) && !names_ends_with(label, ":0"))
		return false;
	if (place.size == label.size)
		place.size -= 2;
	colon = place.size ? memrchr(place.at, ':', place.size) : NULL;
	if (!colon || colon == place.at || colon == place.at + place.size - 1)
		return false;
	*function = (struct imported_function){
		.kind = KYMO_REGION_PYTHON,
		.file = {place.at, (size_t)(colon - place.at)},
		.name = span_from(place, (size_t)(colon - place.at) + 1),
	};
	return true;
}

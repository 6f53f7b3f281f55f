/* Regular expressions of a setting: POSIX extended ones, as in egrep. */
#include "cli/options/expressions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/listitem.h"

static enum kymo_status expressions_compile(regex_t *expression, const char *text,
					    enum setting_id id, struct problem *problem)
{
	char reason[128];
	int result = regcomp(expression, text, REG_EXTENDED | REG_NOSUB);

	if (result == 0)
		return KYMO_OK;
	regerror(result, expression, reason, sizeof(reason));
	return problem_set(problem, KYMO_USAGE, "KYMO_%s: '%s' is not a regular expression: %s",
			   setting_table[id].name, text, reason);
}

enum kymo_status expressions_read(const struct settings *settings, enum setting_id id,
				  struct expressions *out, struct problem *problem)
{
	const char *rest = settings_text(settings, id), *item;
	enum kymo_status status = KYMO_OK;
	size_t length;

	while (status == KYMO_OK && listitem_next(&rest, &item, &length)) {
		regex_t *items =
			array_grow(out->items, &out->capacity, out->count + 1, sizeof(*items));
		char *text = strndup(item, length);

		if (items)
			out->items = items;
		if (!items || !text)
			status = problem_set(problem, KYMO_MEMORY, "out of memory");
		else
			status = expressions_compile(&items[out->count], text, id, problem);
		out->count += status == KYMO_OK;
		free(text);
	}
	return status;
}

void expressions_release(struct expressions *expressions)
{
	for (size_t i = 0; i < expressions->count; i++)
		regfree(&expressions->items[i]);
	free(expressions->items);
}

bool expressions_match(const struct expressions *expressions, const char *text)
{
	for (size_t i = 0; i < expressions->count; i++)
		if (regexec(&expressions->items[i], text, 0, NULL, 0) == 0)
			return true;
	return false;
}

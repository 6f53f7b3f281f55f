/* Texts as values of a setting. The choices column is a list of words, or for numbers a range
 * "LOW..HIGH", either end of which may be missing. */
#include "config/setting_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/listitem.h"

#define BLANKS " \t\r\n"

static const struct {
	const char *word;
	const char *value;
} booleans[] = {
	{"ON", "ON"},	{"YES", "ON"}, {"TRUE", "ON"},	 {"T", "ON"},  {"Y", "ON"},  {"1", "ON"},
	{"OFF", "OFF"}, {"NO", "OFF"}, {"FALSE", "OFF"}, {"F", "OFF"}, {"N", "OFF"}, {"0", "OFF"},
};

/* The choice that equals the word in any case, NULL when there is none. */
static const char *find_choice(const char *choices, const char *word, size_t word_length,
			       size_t *length_out)
{
	const char *choice;

	while (listitem_next(&choices, &choice, length_out))
		if (*length_out == word_length && strncasecmp(choice, word, word_length) == 0)
			return choice;
	return NULL;
}

static bool is_number_in_range(const struct setting_row *row, double number)
{
	const char *dots = strstr(row->choices, "..");

	if (dots == NULL)
		return true;
	if (dots != row->choices && number < strtod(row->choices, NULL))
		return false;
	return dots[2] == '\0' || number <= strtod(dots + 2, NULL);
}

static bool value_is_number(const struct setting_row *row, const char *text)
{
	double number;
	char *end;

	errno = 0;
	if (row->type == SETTING_INTEGER)
		number = (double)strtoll(text, &end, 10);
	else
		number = strtod(text, &end);
	return end != text && *end == '\0' && errno == 0 && isfinite(number) &&
	       is_number_in_range(row, number);
}

static void expect_number(const struct setting_row *row, struct textbuf *reason)
{
	const char *dots = strstr(row->choices, "..");

	textbuf_text(reason,
		     row->type == SETTING_INTEGER ? "give a whole number" : "give a number");
	if (dots == NULL)
		return;
	if (dots[2] == '\0')
		textbuf_format(reason, " from %.*s up", (int)(dots - row->choices), row->choices);
	else if (dots == row->choices)
		textbuf_format(reason, " up to %s", dots + 2);
	else
		textbuf_format(reason, " from %.*s to %s", (int)(dots - row->choices), row->choices,
			       dots + 2);
}

/* Every item of the list in its canonical spelling; NULL with reason if one is wrong. */
static char *spell_items(const struct setting_row *row, const char *text, struct textbuf *reason)
{
	const char *item, *choice;
	size_t length, choice_length;
	struct textbuf spelled = {0};

	while (listitem_next(&text, &item, &length)) {
		choice = find_choice(row->choices, item, length, &choice_length);
		if (choice == NULL) {
			textbuf_format(reason, "'%.*s' is not one of %s", (int)length, item,
				       row->choices);
			textbuf_release(&spelled);
			return NULL;
		}
		if (spelled.length > 0)
			textbuf_char(&spelled, ',');
		textbuf_bytes(&spelled, choice, choice_length);
	}
	return textbuf_take(&spelled);
}

static char *spell_boolean(const char *text, struct textbuf *reason)
{
	for (size_t i = 0; i < sizeof(booleans) / sizeof(*booleans); i++)
		if (strcasecmp(text, booleans[i].word) == 0)
			return strdup(booleans[i].value);
	textbuf_text(reason, "give ON or OFF");
	return NULL;
}

static char *spell_choice(const struct setting_row *row, const char *text, struct textbuf *reason)
{
	size_t length;
	const char *choice = find_choice(row->choices, text, strlen(text), &length);

	if (choice != NULL)
		return strndup(choice, length);
	textbuf_format(reason, "give one of %s", row->choices);
	return NULL;
}

static char *spell(const struct setting_row *row, const char *text, struct textbuf *reason)
{
	switch (row->type) {
	case SETTING_BOOL:
		return spell_boolean(text, reason);
	case SETTING_INTEGER:
	case SETTING_NUMBER:
		if (value_is_number(row, text))
			return strdup(text);
		expect_number(row, reason);
		return NULL;
	case SETTING_LIST:
		return row->choices[0] != '\0' ? spell_items(row, text, reason) : strdup(text);
	case SETTING_TEXT:
		return spell_choice(row, text, reason);
	}
	return NULL;
}

enum kymo_status setting_value_check(const struct setting_row *row, const char *value, char **out,
				     struct textbuf *reason)
{
	bool is_free =
		row->choices[0] == '\0' && (row->type == SETTING_TEXT || row->type == SETTING_LIST);
	const char *begin = value + strspn(value, BLANKS);
	size_t length = strlen(begin);
	char *trimmed, *spelled;

	if (row->type == SETTING_TEXT && is_free) {
		*out = strdup(value);
		return *out != NULL ? KYMO_OK : KYMO_MEMORY;
	}
	while (length > 0 && strchr(BLANKS, begin[length - 1]) != NULL)
		length--;
	if (length == 0 && !is_free && row->type != SETTING_LIST) {
		*out = NULL;
		return KYMO_OK;
	}
	trimmed = strndup(begin, length);
	if (trimmed == NULL)
		return KYMO_MEMORY;
	textbuf_clear(reason);
	spelled = spell(row, trimmed, reason);
	free(trimmed);
	if (spelled == NULL)
		return reason->length > 0 && !reason->has_failed ? KYMO_USAGE : KYMO_MEMORY;
	*out = spelled;
	return KYMO_OK;
}

/* Lines of `perf script`.  Its columns are padded and configurable; the time, a number with a point
 * and followed by a colon, is the reference point: a command may contain blanks and digits, an
 * event may contain colons. */
#include "import/formats/perf_lines.h"

#define NS_POWER 9

/* "123.456789:" */
static bool read_time(struct span word, int64_t *ns)
{
	if (word.size < 4 || word.at[word.size - 1] != ':' || !memchr(word.at, '.', word.size) ||
	    word.at[0] < '0' || word.at[0] > '9')
		return false;
	word.size--;
	return span_scaled(word, NS_POWER, ns) && *ns >= 0;
}

/* Remove and return the last word of text. */
static struct span take_last(struct span *text)
{
	struct span whole = span_trim(*text);
	size_t at = whole.size;

	while (at > 0 && whole.at[at - 1] != ' ' && whole.at[at - 1] != '\t')
		at--;
	*text = span_trim((struct span){whole.at, at});
	return span_from(whole, at);
}

/* "app 12/34 [000]", "app 34": what is before the time. */
static bool read_who(struct span text, struct perf_sample *out)
{
	struct span word = take_last(&text);

	if (span_begins(word, "["))
		word = take_last(&text);
	if (!span_number(&word, &out->tid))
		return false;
	out->pid = 0;
	if (span_begins(word, "/")) {
		out->pid = out->tid;
		word = span_from(word, 1);
		if (!span_number(&word, &out->tid))
			return false;
	}
	out->command = text;
	return word.size == 0;
}

/* "250000 cycles:u:", "cycles:" and what follows. */
static bool read_what(struct span text, struct perf_sample *out)
{
	struct span word = span_word(&text), number = word;
	uint64_t period;

	out->period = 1;
	if (span_number(&number, &period) && number.size == 0) {
		out->period = (double)period;
		word = span_word(&text);
	}
	if (word.size < 2 || word.at[word.size - 1] != ':')
		return false;
	out->event = (struct span){word.at, word.size - 1};
	out->rest = span_trim(text);
	return true;
}

bool perf_read_sample(struct span line, struct perf_sample *out)
{
	struct span rest = line;

	if (line.size == 0 || line.at[0] == '\t')
		return false;
	for (;;) {
		struct span word = span_word(&rest);

		if (word.size == 0)
			return false;
		if (!read_time(word, &out->ns))
			continue;
		if (read_who((struct span){line.at, (size_t)(word.at - line.at)}, out) &&
		    read_what(rest, out))
			return true;
	}
}

/* " (" after "+0x12", if present: names and paths may contain blanks and brackets. */
static const char *find_after_offset(struct span text)
{
	const char *found;
	uint64_t number;

	while (text.size && (found = memmem(text.at, text.size, "+0x", 3))) {
		text = span_from(text, (size_t)(found - text.at) + 1);
		if (span_number(&text, &number) && span_begins(text, " ("))
			return text.at + 1;
	}
	return NULL;
}

/* Start of the module: the last " (", or the one before it for "(/tmp/app (deleted))". */
static const char *lines_find_module(struct span text)
{
	static const char deleted[] = " (deleted))";
	struct span before = text;
	const char *open = find_after_offset(text);

	if (open)
		return open;
	if (text.size > sizeof(deleted) &&
	    memcmp(text.at + text.size - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1) == 0)
		before.size -= sizeof(deleted) - 1;
	open = before.size ? memrchr(before.at, '(', before.size) : NULL;
	return open && (open == text.at || open[-1] == ' ') ? open : NULL;
}

static bool is_address(struct span word)
{
	if (span_begins(word, "0x"))
		word = span_from(word, 2);
	for (size_t i = 0; i < word.size; i++) {
		if (!memchr("0123456789abcdefABCDEF", word.at[i], 22))
			return false;
	}
	return word.size > 0;
}

bool perf_read_frame(struct span line, struct perf_frame *out)
{
	struct span rest = span_trim(line), word = span_word(&rest);
	const char *open;

	if (!is_address(word))
		return false;
	rest = span_trim(rest);
	*out = (struct perf_frame){.symbol = rest};
	open = rest.size && rest.at[rest.size - 1] == ')' ? lines_find_module(rest) : NULL;
	if (open) {
		out->symbol.size = (size_t)(open - rest.at);
		out->module = (struct span){open + 1, (size_t)(rest.at + rest.size - open) - 2};
	}
	out->symbol = span_without_number(span_trim(out->symbol), '+', "0x");
	if (out->symbol.size == 0)
		out->symbol = word;
	if (span_equals(out->module, "inlined") || span_equals(out->module, "[unknown]"))
		out->module.size = 0;
	return true;
}

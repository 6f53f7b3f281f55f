/* Configuration as text: lines of "NAME = value # comment" and "$VARIABLE = value".
 * In values, $VARIABLE, $env:NAME and ${SETTING} are replaced.  A value in double quotes
 * keeps blanks and '#'; there \" \\ \$ \n \r \t stand for themselves. */
#include "config/files/config_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/textbuf.h"

struct span { /* part of the text */
	const char *begin, *end;
};

struct variable {
	char *name, *value;
};

struct text_reader {
	const struct config_sink *sink;
	struct problem *problem;
	unsigned int line;
	struct variable *variables;
	size_t variable_count;
	struct textbuf value; /* of the line, expanded */
	struct textbuf name;  /* of the reference being expanded */
	struct textbuf reason;
};

static bool text_is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\r';
}

static bool is_name_start(char character)
{
	return isalpha((unsigned char)character) || character == '_';
}

static bool text_is_name(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}

static struct span trim(struct span span)
{
	while (span.begin < span.end && text_is_blank(*span.begin))
		span.begin++;
	while (span.end > span.begin && text_is_blank(span.end[-1]))
		span.end--;
	return span;
}

static bool is_name_span(struct span span)
{
	const char *at;

	if (span.begin == span.end || !is_name_start(*span.begin))
		return false;
	for (at = span.begin; at < span.end; at++)
		if (!text_is_name(*at) && *at != '-')
			return false;
	return true;
}

/* Reports why the line is skipped.  The sink decides whether that ends the parsing. */
static enum kymo_status reject(struct text_reader *reader)
{
	if (reader->reason.has_failed)
		return problem_set(reader->problem, KYMO_MEMORY, "out of memory");
	return reader->sink->malformed(reader->sink->object, reader->reason.data, reader->line,
				       reader->problem);
}

static struct variable *variable_find(const struct text_reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->variable_count; i++)
		if (strcasecmp(reader->variables[i].name, name) == 0)
			return &reader->variables[i];
	return NULL;
}

static enum kymo_status variable_set(struct text_reader *reader, struct span name)
{
	struct variable *variable, *grown;
	char *value = textbuf_take(&reader->value);

	textbuf_clear(&reader->name);
	textbuf_bytes(&reader->name, name.begin, (size_t)(name.end - name.begin));
	if (value == NULL || reader->name.has_failed)
		goto no_memory;
	variable = variable_find(reader, reader->name.data);
	if (variable != NULL) {
		free(variable->value);
		variable->value = value;
		return KYMO_OK;
	}
	grown = reallocarray(reader->variables, reader->variable_count + 1, sizeof(*grown));
	if (grown == NULL)
		goto no_memory;
	reader->variables = grown;
	variable = &grown[reader->variable_count];
	variable->name = textbuf_take(&reader->name);
	if (variable->name == NULL)
		goto no_memory;
	variable->value = value;
	reader->variable_count++;
	return KYMO_OK;
no_memory:
	free(value);
	return problem_set(reader->problem, KYMO_MEMORY, "out of memory");
}

/* Where the comment of a plain value begins: a '#' at the start or after a blank. */
static const char *comment_start(struct span value)
{
	const char *at;

	for (at = value.begin; at < value.end; at++)
		if (*at == '#' && (at == value.begin || text_is_blank(at[-1])))
			return at;
	return value.end;
}

/* The closing quote of a value that begins with one; NULL when there is none. */
static const char *closing_quote(struct span value)
{
	const char *at;

	for (at = value.begin + 1; at < value.end; at++) {
		if (*at == '"')
			return at;
		if (*at == '\\' && at + 1 < value.end)
			at++;
	}
	return NULL;
}

/* Append the value of a reference of this kind; false with the reason. */
static bool expand_name(struct text_reader *reader, struct span name, bool is_environment,
			bool is_setting)
{
	const struct config_sink *sink = reader->sink;
	const struct variable *variable;
	const char *value = NULL;

	textbuf_clear(&reader->name);
	textbuf_bytes(&reader->name, name.begin, (size_t)(name.end - name.begin));
	if (reader->name.has_failed) {
		reader->reason.has_failed = true;
		return false;
	}
	if (is_environment) {
		value = sink->look_up(sink->object, CONFIG_REFERENCE_ENVIRONMENT,
				      reader->name.data);
		textbuf_text(&reader->value, value != NULL ? value : "");
		return true;
	}
	variable = variable_find(reader, reader->name.data);
	if (variable != NULL)
		value = variable->value;
	else if (is_setting)
		value = sink->look_up(sink->object, CONFIG_REFERENCE_SETTING, reader->name.data);
	if (value == NULL) {
		textbuf_format(&reader->reason,
			       is_setting ? "no setting or variable '${%s}'; an environment "
					    "variable is written $env:%s"
					  : "variable '$%s' is not defined above; an environment "
					    "variable is written $env:%s",
			       reader->name.data, reader->name.data);
		return false;
	}
	textbuf_text(&reader->value, value);
	return true;
}

static struct span name_at(const char *at, const char *end)
{
	struct span name = {at, at};

	if (at < end && is_name_start(*at))
		while (name.end < end && text_is_name(*name.end))
			name.end++;
	return name;
}

/* Expand the reference that may begin at the '$' at; returns the position after it, or NULL with
 * the reason.  A '$' that begins none is literal, as are $env{X} and $cfg{X}, which are keys of
 * output names. */
static const char *expand_reference(struct text_reader *reader, const char *at, const char *end)
{
	struct span name;
	bool is_braced = at + 1 < end && at[1] == '{', is_environment = false;
	const char *after = at + 1 + is_braced;

	name = name_at(after, end);
	if (name.end - name.begin == 3 && strncmp(name.begin, "env", 3) == 0 && name.end < end &&
	    *name.end == ':') {
		is_environment = true;
		name = name_at(name.end + 1, end);
	}
	after = name.end + is_braced;
	if (name.begin == name.end || (is_braced && (name.end >= end || *name.end != '}')) ||
	    (!is_braced && name.end < end && *name.end == '{')) {
		textbuf_char(&reader->value, '$');
		return at + 1;
	}
	return expand_name(reader, name, is_environment, is_braced) ? after : NULL;
}

static char unescape(char character)
{
	switch (character) {
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case '"':
	case '\\':
	case '$':
		return character;
	default:
		return '\0';
	}
}

/* Append the value's text, with references replaced, to reader->value; false with the reason. */
static bool text_expand(struct text_reader *reader, struct span text, bool is_quoted)
{
	const char *at = text.begin;

	textbuf_clear(&reader->value);
	textbuf_text(&reader->value, "");
	while (at < text.end) {
		if (*at == '$') {
			at = expand_reference(reader, at, text.end);
			if (at == NULL)
				return false;
		} else if (is_quoted && *at == '\\' && at + 1 < text.end && unescape(at[1])) {
			textbuf_char(&reader->value, unescape(at[1]));
			at += 2;
		} else {
			textbuf_char(&reader->value, *at++);
		}
	}
	return true;
}

static bool text_read_value(struct text_reader *reader, struct span text)
{
	struct span rest;
	const char *quote;

	if (text.begin < text.end && *text.begin == '"') {
		quote = closing_quote(text);
		if (quote == NULL) {
			textbuf_text(&reader->reason, "the quote is not closed");
			return false;
		}
		rest = trim((struct span){quote + 1, text.end});
		if (rest.begin == rest.end || *rest.begin == '#')
			return text_expand(reader, (struct span){text.begin + 1, quote}, true);
	}
	text.end = comment_start(text);
	return text_expand(reader, trim(text), false);
}

static enum kymo_status text_assign(struct text_reader *reader, struct span name)
{
	textbuf_clear(&reader->name);
	textbuf_bytes(&reader->name, name.begin, (size_t)(name.end - name.begin));
	if (reader->name.has_failed || reader->value.has_failed)
		return problem_set(reader->problem, KYMO_MEMORY, "out of memory");
	return reader->sink->assign(reader->sink->object, reader->name.data, reader->value.data,
				    reader->line, reader->problem);
}

static enum kymo_status text_read_line(struct text_reader *reader, struct span line)
{
	struct span name;
	const char *equals;
	bool is_variable;

	textbuf_clear(&reader->reason);
	line = trim(line);
	if (line.begin == line.end || *line.begin == '#')
		return KYMO_OK;
	equals = memchr(line.begin, '=', (size_t)(line.end - line.begin));
	name = trim((struct span){line.begin, equals != NULL ? equals : line.begin});
	is_variable = name.begin < name.end && *name.begin == '$';
	name.begin += is_variable;
	if (equals == NULL || !is_name_span(name)) {
		textbuf_text(&reader->reason, "expected 'NAME = value'");
		return reject(reader);
	}
	if (!text_read_value(reader, trim((struct span){equals + 1, line.end})))
		return reject(reader);
	return is_variable ? variable_set(reader, name) : text_assign(reader, name);
}

enum kymo_status config_parse_text(const char *text, size_t length, const struct config_sink *sink,
				   struct problem *problem)
{
	struct text_reader reader = {.sink = sink, .problem = problem};
	enum kymo_status status = KYMO_OK;
	struct span line = {text, text};
	const char *end = text + length;

	while (status == KYMO_OK && line.begin < end) {
		line.end = memchr(line.begin, '\n', (size_t)(end - line.begin));
		if (line.end == NULL)
			line.end = end;
		reader.line++;
		status = text_read_line(&reader, line);
		line.begin = line.end + 1;
	}
	for (size_t i = 0; i < reader.variable_count; i++) {
		free(reader.variables[i].name);
		free(reader.variables[i].value);
	}
	free(reader.variables);
	textbuf_release(&reader.value);
	textbuf_release(&reader.name);
	textbuf_release(&reader.reason);
	return status;
}

static bool needs_quotes(const char *value)
{
	size_t length = strlen(value), i;

	if (length > 0 &&
	    (text_is_blank(value[0]) || text_is_blank(value[length - 1]) || value[0] == '"'))
		return true;
	for (i = 0; i < length; i++) {
		if (value[i] == '\n' || value[i] == '\r')
			return true;
		if (value[i] == '#' && (i == 0 || text_is_blank(value[i - 1])))
			return true;
		if (value[i] == '$' && (is_name_start(value[i + 1]) || value[i + 1] == '{'))
			return true;
	}
	return false;
}

char *config_quote(const char *value)
{
	struct textbuf quoted = {0};
	const char *at;

	if (!needs_quotes(value))
		return strdup(value);
	textbuf_char(&quoted, '"');
	for (at = value; *at != '\0'; at++) {
		if (*at == '\n' || *at == '\r' || *at == '\t') {
			textbuf_text(&quoted, *at == '\n' ? "\\n" : *at == '\r' ? "\\r" : "\\t");
			continue;
		}
		if (*at == '"' || *at == '\\' || *at == '$')
			textbuf_char(&quoted, '\\');
		textbuf_char(&quoted, *at);
	}
	textbuf_char(&quoted, '"');
	return textbuf_take(&quoted);
}

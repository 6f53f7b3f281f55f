/* Configuration as XML: the elements that timemory's tools write.
 * Elements, character data, the five entities and numeric references; attributes, comments
 * and processing instructions are skipped.  No document types and no CDATA. */
#include "config/files/config_xml.h"

#include <ctype.h>
#include <string.h>

#include "config/files/config_tree.h"

struct xml_reader {
	const char *at, *end;
	unsigned int line;
	struct config_tree tree;
	struct textbuf text; /* of the innermost element so far */
	bool is_leaf;	     /* nothing but text since the innermost element opened */
	bool has_root;
	const char *reason;
};

static bool xml_fail(struct xml_reader *reader, const char *reason)
{
	reader->reason = reason;
	return false;
}

static bool starts(const struct xml_reader *reader, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(reader->end - reader->at) >= length &&
	       memcmp(reader->at, text, length) == 0;
}

static void xml_step(struct xml_reader *reader, size_t count)
{
	for (; count > 0; count--)
		reader->line += *reader->at++ == '\n';
}

/* Skip to the end of the next occurrence of text. */
static bool skip_behind(struct xml_reader *reader, const char *text)
{
	for (; reader->at < reader->end; xml_step(reader, 1)) {
		if (starts(reader, text)) {
			xml_step(reader, strlen(text));
			return true;
		}
	}
	return xml_fail(reader, "a comment or instruction is not closed");
}

static size_t name_length(const struct xml_reader *reader)
{
	const char *at = reader->at;

	while (at < reader->end &&
	       (isalnum((unsigned char)*at) || (*at != '\0' && strchr("_-.:", *at) != NULL)))
		at++;
	return (size_t)(at - reader->at);
}

/* After an element's name: skips attributes up to '>' or "/>". */
static bool skip_attributes(struct xml_reader *reader, bool *is_empty)
{
	char quote = '\0';

	for (; reader->at < reader->end; xml_step(reader, 1)) {
		if (quote != '\0') {
			if (*reader->at == quote)
				quote = '\0';
		} else if (*reader->at == '"' || *reader->at == '\'') {
			quote = *reader->at;
		} else if (*reader->at == '<') {
			break;
		} else if (*reader->at == '>' || starts(reader, "/>")) {
			*is_empty = *reader->at == '/';
			xml_step(reader, *is_empty ? 2 : 1);
			return true;
		}
	}
	return xml_fail(reader, "a tag is not closed");
}

static void close_element(struct xml_reader *reader, enum kymo_status *status)
{
	if (reader->is_leaf)
		config_tree_value(&reader->tree, &reader->text);
	*status = config_tree_close(&reader->tree, reader->line);
	textbuf_clear(&reader->text);
	reader->is_leaf = false;
}

/* At '<' followed by a name. */
static bool read_opening(struct xml_reader *reader, enum kymo_status *status)
{
	size_t length;
	bool is_empty = false;

	xml_step(reader, 1);
	length = name_length(reader);
	if (length == 0)
		return xml_fail(reader, "expected the name of an element");
	if (reader->tree.depth == CONFIG_TREE_DEPTH)
		return xml_fail(reader, "nested too deeply");
	if (reader->tree.depth == 0 && reader->has_root)
		return xml_fail(reader, "a second outermost element");
	textbuf_clear(&reader->tree.keys[reader->tree.depth]);
	textbuf_bytes(&reader->tree.keys[reader->tree.depth], reader->at, length);
	xml_step(reader, length);
	if (!skip_attributes(reader, &is_empty))
		return false;
	config_tree_open(&reader->tree);
	textbuf_clear(&reader->text);
	reader->is_leaf = true;
	reader->has_root = true;
	if (is_empty)
		close_element(reader, status);
	return true;
}

/* At "</". */
static bool read_closing(struct xml_reader *reader, enum kymo_status *status)
{
	const struct textbuf *key;
	size_t length;

	xml_step(reader, 2);
	length = name_length(reader);
	if (reader->tree.depth == 0)
		return xml_fail(reader, "a closing tag without its opening tag");
	key = &reader->tree.keys[reader->tree.depth - 1];
	if (!key->has_failed &&
	    (key->length != length || memcmp(reader->at, key->data, length) != 0))
		return xml_fail(reader, "a closing tag that does not match its opening tag");
	xml_step(reader, length);
	while (reader->at < reader->end && isspace((unsigned char)*reader->at))
		xml_step(reader, 1);
	if (!starts(reader, ">"))
		return xml_fail(reader, "a tag is not closed");
	xml_step(reader, 1);
	close_element(reader, status);
	return true;
}

/* At '&'. */
static bool read_entity(struct xml_reader *reader)
{
	static const struct {
		const char *name;
		char value;
	} entities[] = {
		{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
	unsigned int code = 0;

	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++) {
		if (starts(reader, entities[i].name)) {
			textbuf_char(&reader->text, entities[i].value);
			xml_step(reader, strlen(entities[i].name));
			return true;
		}
	}
	if (starts(reader, "&#")) {
		xml_step(reader, 2);
		while (reader->at < reader->end && isdigit((unsigned char)*reader->at) &&
		       code < 0x80) {
			code = code * 10 + (unsigned int)(*reader->at - '0');
			xml_step(reader, 1);
		}
		if (code > 0 && code < 0x80 && starts(reader, ";")) {
			xml_step(reader, 1);
			textbuf_char(&reader->text, (char)code);
			return true;
		}
	}
	return xml_fail(reader, "unknown entity; write '&' as &amp;");
}

static bool xml_read_text(struct xml_reader *reader)
{
	if (*reader->at == '&')
		return reader->tree.depth > 0 ? read_entity(reader)
					      : xml_fail(reader, "text outside of the elements");
	if (!isspace((unsigned char)*reader->at) && !reader->is_leaf)
		return xml_fail(reader, reader->tree.depth > 0 ? "text between elements"
							       : "text outside of the elements");
	textbuf_char(&reader->text, *reader->at);
	xml_step(reader, 1);
	return true;
}

static bool read_next(struct xml_reader *reader, enum kymo_status *status)
{
	if (starts(reader, "<!--"))
		return skip_behind(reader, "-->");
	if (starts(reader, "<?"))
		return skip_behind(reader, "?>");
	if (starts(reader, "</"))
		return read_closing(reader, status);
	if (starts(reader, "<"))
		return read_opening(reader, status);
	return xml_read_text(reader);
}

enum kymo_status config_parse_xml(const char *text, size_t length, const struct config_sink *sink,
				  struct problem *problem)
{
	struct xml_reader reader = {.at = text,
				    .end = text + length,
				    .line = 1,
				    .tree = {.sink = sink, .problem = problem}};
	enum kymo_status status = KYMO_OK;
	bool is_understood = true;

	while (is_understood && status == KYMO_OK && reader.at < reader.end)
		is_understood = read_next(&reader, &status);
	if (is_understood && status == KYMO_OK && reader.tree.depth > 0)
		is_understood = xml_fail(&reader, "an element is not closed");
	if (reader.text.has_failed)
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	else if (!is_understood)
		status = sink->malformed(sink->object, reader.reason, reader.line, problem);
	config_tree_release(&reader.tree);
	textbuf_release(&reader.text);
	return status;
}

/* Determines the format of a configuration file from its first character. Bytes that no format
 * allows are rejected here, before the parsers. */
#include "config/files/configfile.h"

#include <string.h>

#include "config/files/config_json.h"
#include "config/files/config_text.h"
#include "config/files/config_xml.h"

static unsigned int configfile_line_of(const char *text, const char *at)
{
	unsigned int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

enum kymo_status config_parse(const char *text, size_t length, const struct config_sink *sink,
			      struct problem *problem)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *nul = length > 0 ? memchr(text, '\0', length) : NULL;
	size_t blanks = 0;

	if (nul != NULL)
		return sink->malformed(sink->object, "a NUL byte: not a text file",
				       configfile_line_of(text, nul), problem);
	if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
		text += 3;
		length -= 3;
	}
	while (blanks < length && strchr(" \t\r\n", text[blanks]) != NULL)
		blanks++;
	if (blanks < length && text[blanks] == '{')
		return config_parse_json(text, length, sink, problem);
	if (blanks < length && text[blanks] == '<')
		return config_parse_xml(text, length, sink, problem);
	return config_parse_text(text, length, sink, problem);
}

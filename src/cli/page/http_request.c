/* Validates what protects the server, and ignores the rest: RFC 9112, the request line and Host. */
#include "cli/page/http_request.h"

#include <string.h>
#include <strings.h>

bool http_request_is_whole(const char *text, size_t size)
{
	return memmem(text, size, "\r\n\r\n", 4) != NULL;
}

/* The text between from and the next character of stops, or end. */
static size_t span_until(const char *from, const char *end, const char *stops)
{
	const char *at = from;

	while (at < end && !strchr(stops, *at))
		at++;
	return (size_t)(at - from);
}

static void request_parse_line(const char *text, const char *end, struct http_request *out)
{
	size_t method = span_until(text, end, " \r\n"), path;

	out->is_get = method == 3 && memcmp(text, "GET", 3) == 0;
	out->is_head = method == 4 && memcmp(text, "HEAD", 4) == 0;
	text += method;
	if (text == end || *text != ' ')
		return;
	text++;
	path = span_until(text, end, " ?#\r\n");
	if (path >= sizeof(out->path) || memchr(text, '\0', path))
		return;
	memcpy(out->path, text, path);
	out->path[path] = '\0';
}

/* DNS rebinding: a page elsewhere whose name resolves to this machine has another Host. */
static bool is_local_host(const char *value, const char *end)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	size_t length;

	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	length = span_until(value, end, ":\r\n \t");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (length == strlen(names[i]) && strncasecmp(value, names[i], length) == 0)
			return true;
	}
	return false;
}

void http_request_parse(const char *text, size_t size, struct http_request *out)
{
	static const char host[] = "\r\nhost:";
	const char *end = text + size;

	memset(out, 0, sizeof(*out));
	request_parse_line(text, end, out);
	for (const char *at = text; at + sizeof(host) - 1 <= end; at++) {
		if (strncasecmp(at, host, sizeof(host) - 1) == 0) {
			out->is_local = is_local_host(at + sizeof(host) - 1, end);
			return;
		}
	}
}

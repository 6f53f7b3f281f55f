/* The first lines of an HTTP request, as far as a page's server needs them. */
#ifndef KYMO_HTTP_REQUEST_H
#define KYMO_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

struct http_request {
	bool is_get, is_head;
	char path[256]; /* without the query; "" = none that could be read */
	bool is_local;	/* the Host is this machine by number or as localhost */
};

/* True when text holds a whole request head. */
bool http_request_is_whole(const char *text, size_t size);
/* text: a whole head. */
void http_request_parse(const char *text, size_t size, struct http_request *out);

#endif

/* The head of an HTTP request, as far as the page's server needs it. */
#ifndef KYMO_HTTP_REQUEST_H
#define KYMO_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

struct http_request {
	bool is_get, is_head;
	char path[256]; /* without the query; "" = unreadable */
	bool is_local;	/* the Host is this machine by number or as localhost */
};

/* Whether text holds a complete request head. */
bool http_request_is_whole(const char *text, size_t size);
/* text: a complete head. */
void http_request_parse(const char *text, size_t size, struct http_request *out);

#endif

/* The viewer as one HTML text in three parts: before the title, from there to the data, and after
 * them.  Made from viewer/ by tools/bundle_viewer.py when Kymo is built. */
#ifndef KYMO_PAGE_TEMPLATE_H
#define KYMO_PAGE_TEMPLATE_H

#include <stddef.h>

struct page_template {
	const char *text;
	size_t size;
};

/* has_server: its policy allows the page to connect to its own server only. */
extern const struct page_template page_template_head, page_template_served_head, page_template_body,
	page_template_end;

#endif

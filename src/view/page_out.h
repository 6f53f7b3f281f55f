/* The data of a page, as elements that browsers do not interpret.  Lack of memory ends the
 * command's work (command/xalloc.h).
 *
 * A JSON section becomes <script type="application/json" id="kymo-NAME">; "<" is escaped, so its
 * content cannot end the element.  A blob becomes base64 of bytes, compressed if possible, in
 * <script type="application/octet-stream" id="kymo-NAME">.
 *
 * A page is for people: every text in it is cleaned (base/text/plaintext.h), names and lines of
 * sources alike, so that the viewer never draws, prints or saves a control character. */
#ifndef KYMO_PAGE_OUT_H
#define KYMO_PAGE_OUT_H

#include "base/status.h"
#include "base/text/textbuf.h"
#include "text/json_writer.h"

struct page_out {
	FILE *out;
	/* Of the current JSON section. */
	struct json_writer json;
	char *text;
	size_t length;
};

/* The writer for the content of a section. */
struct json_writer *page_json_begin(struct page_out *out, const char *name);
void page_json_end(struct page_out *out);

/* Append to bytes: numbers of seven bits a byte, the lowest first (LEB128). */
void page_varint(struct textbuf *bytes, uint64_t number);
/* Nanoseconds as whole ones, negative ones as zero. */
void page_time(struct textbuf *bytes, double ns);
/* A whole number, which may be negative: 0, -1, 1, -2 … as 0, 1, 2, 3 … */
void page_signed(struct textbuf *bytes, double number);
/* The length of a text, cleaned, and the text. */
void page_text(struct textbuf *bytes, const char *text);
/* Write the collected bytes and empty the buffer. */
void page_blob(struct page_out *out, const char *name, struct textbuf *bytes);

/* Write bytes that page_pack() made. */
void page_packed_blob(struct page_out *out, const char *name, const unsigned char *packed,
		      size_t size);

/* Text for an element's content or an attribute's value, cleaned. */
void page_escape(FILE *out, const char *text);

#endif

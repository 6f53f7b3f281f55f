/* The data of a page, as elements that no browser takes for anything else.  Lack of memory ends the
 * command's work (command/xalloc.h).
 *
 * A JSON section becomes <script type="application/json" id="kymo-NAME">; "<" is written as
 * an escape, so nothing in it ends the element.  A blob becomes base64 of bytes, compressed
 * where that is possible, in <script type="application/octet-stream" id="kymo-NAME">.
 *
 * A page is for people: every text in it is cleaned (base/text/plaintext.h), names and lines of
 * sources alike, so that nothing in the viewer meets a control, be it drawn, said or saved. */
#ifndef KYMO_PAGE_OUT_H
#define KYMO_PAGE_OUT_H

#include "base/status.h"
#include "base/text/textbuf.h"
#include "text/json_writer.h"

struct page_out {
	FILE *out;
	/* Of the JSON section that is being written. */
	struct json_writer json;
	char *text;
	size_t length;
};

/* The writer for the content of a section. */
struct json_writer *page_json_begin(struct page_out *out, const char *name);
void page_json_end(struct page_out *out);

/* Bytes to come: numbers of seven bits a byte, the lowest first (LEB128). */
void page_varint(struct textbuf *bytes, uint64_t number);
/* Nanoseconds as whole ones, negative ones as zero. */
void page_time(struct textbuf *bytes, double ns);
/* A whole number, which may be negative: 0, -1, 1, -2 … as 0, 1, 2, 3 … */
void page_signed(struct textbuf *bytes, double number);
/* The length of a text, cleaned, and the text. */
void page_text(struct textbuf *bytes, const char *text);
/* Write what was collected and empty it. */
void page_blob(struct page_out *out, const char *name, struct textbuf *bytes);

/* Write bytes that page_pack() made. */
void page_packed_blob(struct page_out *out, const char *name, const unsigned char *packed,
		      size_t size);

/* Text for an element's content or an attribute's value, cleaned. */
void page_escape(FILE *out, const char *text);

#endif

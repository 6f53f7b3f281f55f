/* Sections of a page: JSON without "<", bytes as base64. */
#include "view/page_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/plaintext.h"
#include "command/xalloc.h"
#include "view/page_pack.h"

struct json_writer *page_json_begin(struct page_out *out, const char *name)
{
	out->text = NULL;
	out->length = 0;
	out->json = (struct json_writer){.out = open_memstream(&out->text, &out->length),
					 .is_shown = true};
	xneed(out->json.out != NULL);
	fprintf(out->out, "<script type=\"application/json\" id=\"kymo-%s\">", name);
	return &out->json;
}

static void out_write_json(FILE *out, const char *text, size_t length)
{
	const char *end = text + length, *next;

	while ((next = memchr(text, '<', (size_t)(end - text))) != NULL) {
		fwrite(text, 1, (size_t)(next - text), out);
		fputs("\\u003c", out);
		text = next + 1;
	}
	fwrite(text, 1, (size_t)(end - text), out);
}

void page_json_end(struct page_out *out)
{
	xneed(fclose(out->json.out) == 0);
	out_write_json(out->out, out->text, out->length);
	fputs("</script>\n", out->out);
	free(out->text);
	out->text = NULL;
}

void page_varint(struct textbuf *bytes, uint64_t number)
{
	char text[10];
	size_t length = 0;

	do {
		text[length] = (char)(number & 0x7f);
		number >>= 7;
		if (number)
			text[length] |= (char)0x80;
		length++;
	} while (number);
	textbuf_bytes(bytes, text, length);
}

void page_time(struct textbuf *bytes, double ns)
{
	page_varint(bytes, ns > 0 ? (uint64_t)(ns + 0.5) : 0);
}

void page_signed(struct textbuf *bytes, double number)
{
	page_varint(bytes, number < 0 ? 2 * (uint64_t)-number - 1 : 2 * (uint64_t)number);
}

void page_text(struct textbuf *bytes, const char *text)
{
	struct textbuf clean = {0};
	const char *shown = plaintext_of(&clean, text);
	size_t length = strlen(shown);

	page_varint(bytes, length);
	textbuf_bytes(bytes, shown, length);
	textbuf_release(&clean);
}

static void write_base64(FILE *out, const unsigned char *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4];
	size_t left;

	for (; size > 0; size -= left, data += left) {
		uint32_t word = (uint32_t)data[0] << 16;

		left = size < 3 ? size : 3;
		if (left > 1)
			word |= (uint32_t)data[1] << 8;
		if (left > 2)
			word |= data[2];
		for (unsigned int i = 0; i < 4; i++)
			text[i] = i <= left ? digits[word >> (18 - 6 * i) & 63] : '=';
		fwrite(text, 1, 4, out);
	}
}

void page_packed_blob(struct page_out *out, const char *name, const unsigned char *packed,
		      size_t size)
{
	fprintf(out->out,
		"<script type=\"application/octet-stream\" id=\"kymo-%s\" data-coding=\"gzip\">",
		name);
	write_base64(out->out, packed, size);
	fputs("</script>\n", out->out);
}

void page_blob(struct page_out *out, const char *name, struct textbuf *bytes)
{
	unsigned char *packed;
	size_t size;

	xneed(!bytes->has_failed);
	if (page_pack(bytes->data, bytes->length, &packed, &size)) {
		page_packed_blob(out, name, packed, size);
		xfree(packed);
	} else {
		fprintf(out->out, "<script type=\"application/octet-stream\" id=\"kymo-%s\">",
			name);
		write_base64(out->out, (const unsigned char *)bytes->data, bytes->length);
		fputs("</script>\n", out->out);
	}
	textbuf_clear(bytes);
}

void page_escape(FILE *out, const char *text)
{
	struct textbuf clean = {0};

	for (text = plaintext_of(&clean, text); *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc(*text, out);
		}
	}
	textbuf_release(&clean);
}

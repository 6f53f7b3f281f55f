/* The legacy scheme, and detection of the scheme of a name.  The legacy one looks like C++ with a
 * hash as its last part, and encodes what C++ cannot have as "$LT$", "$u7e$" and "..". */
#include "object/names/rust_name.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"
#include "object/names/rust_punycode.h"
#include "object/names/rust_symbol.h"

#define HASH_DIGITS 16u

struct piece {
	const char *at;
	size_t size;
};

static bool is_hash(const struct piece *piece)
{
	static const char digits[] = "0123456789abcdef";

	return piece->size == 1 + HASH_DIGITS && piece->at[0] == 'h' &&
	       strspn(piece->at + 1, digits) >= HASH_DIGITS;
}

/* "4main": false at the end, and if malformed. */
static bool next_piece(const char **at, struct piece *out)
{
	char *end;
	unsigned long size;

	if (**at < '1' || **at > '9')
		return false;
	size = strtoul(*at, &end, 10);
	if (size > strlen(end))
		return false;
	*out = (struct piece){end, size};
	*at = end + size;
	return true;
}

/* "$LT$" and other escapes: its number of bytes; 0: it is none. */
static size_t put_escape(const struct piece *piece, struct textbuf *out)
{
	static const struct {
		const char *escape, *text;
	} escapes[] = {
		{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"},
		{"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},
	};
	char *end;
	unsigned long code;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		size_t length = strlen(escapes[i].escape);

		if (piece->size < length || memcmp(piece->at, escapes[i].escape, length) != 0)
			continue;
		textbuf_text(out, escapes[i].text);
		return length;
	}
	if (piece->size < 4 || piece->at[1] != 'u' || !strchr("0123456789abcdef", piece->at[2]))
		return 0;
	code = strtoul(piece->at + 2, &end, 16);
	if (*end != '$' || end >= piece->at + piece->size ||
	    !rust_put_code(code <= UINT32_MAX ? (uint32_t)code : UINT32_MAX, out))
		return 0;
	return (size_t)(end + 1 - piece->at);
}

static void put_piece(struct piece piece, struct textbuf *out)
{
	/* An identifier cannot begin with '$'. */
	if (piece.size > 1 && piece.at[0] == '_' && piece.at[1] == '$')
		piece = (struct piece){piece.at + 1, piece.size - 1};
	while (piece.size > 0) {
		bool is_path = piece.size > 1 && memcmp(piece.at, "..", 2) == 0;
		size_t used = is_path ? 2 : *piece.at == '$' ? put_escape(&piece, out) : 0;

		if (is_path)
			textbuf_text(out, "::");
		else if (used == 0)
			textbuf_char(out, *piece.at);
		used = used ? used : 1;
		piece = (struct piece){piece.at + used, piece.size - used};
	}
}

static char *legacy_name(const char *name)
{
	const char *at = name + strlen("_ZN");
	struct piece piece, last = {NULL, 0};
	struct textbuf out = {0};

	while (next_piece(&at, &piece)) {
		if (last.at) {
			textbuf_text(&out, out.length ? "::" : "");
			put_piece(last, &out);
		}
		last = piece;
	}
	if (*at == 'E' && last.at && is_hash(&last) && out.length > 0)
		return textbuf_take(&out);
	textbuf_release(&out);
	return NULL;
}

char *rust_name(const char *linker_name)
{
	if (strncmp(linker_name, "_R", 2) == 0)
		return rust_symbol_name(linker_name + 2);
	return strncmp(linker_name, "_ZN", 3) == 0 ? legacy_name(linker_name) : NULL;
}

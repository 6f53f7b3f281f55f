/* Properties of characters by utf8proc. */
#include "text/unicode.h"

#include <utf8proc.h>

size_t unicode_cells(uint32_t code)
{
	int cells = utf8proc_charwidth((utf8proc_int32_t)code);

	return cells > 0 ? (size_t)cells : 0;
}

bool unicode_is_break(uint32_t before, uint32_t after, int32_t *state)
{
	utf8proc_int32_t now = *state;
	bool is_break = utf8proc_grapheme_break_stateful((utf8proc_int32_t)before,
							 (utf8proc_int32_t)after, &now);

	*state = now;
	return is_break;
}

bool unicode_is_known(void)
{
	return true;
}

/* Used if utf8proc was missing when Kymo was built: all characters are alike. */
#include "text/unicode.h"

size_t unicode_cells(uint32_t code)
{
	(void)code;
	return 1;
}

bool unicode_is_break(uint32_t before, uint32_t after, int32_t *state)
{
	(void)before;
	(void)after;
	(void)state;
	return true;
}

bool unicode_is_known(void)
{
	return false;
}

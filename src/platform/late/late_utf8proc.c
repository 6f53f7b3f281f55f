/* Widths of characters, by utf8proc.  Serves late.h. */
#include "platform/late/late.h"

#include <utf8proc.h>

static struct late_library library = {.file = LATE_UTF8PROC,
				      .package = "libutf8proc2 or libutf8proc3",
				      .without = "columns are counted in characters"};

LATE_FUNCTION(&library, int, utf8proc_charwidth, (utf8proc_int32_t codepoint), (codepoint), 1)

LATE_FUNCTION(&library, utf8proc_bool, utf8proc_grapheme_break_stateful,
	      (utf8proc_int32_t codepoint1, utf8proc_int32_t codepoint2, utf8proc_int32_t *state),
	      (codepoint1, codepoint2, state), true)

/* Wrapping of sentences. */
#include "text/wrapped.h"

#include <string.h>

#include "base/text/plaintext.h"
#include "base/text/textbuf.h"
#include "text/cells.h"

void wrapped_write(const char *text, size_t column, size_t width, FILE *out)
{
	struct textbuf buffer = {0};
	size_t at = column;

	for (text = plaintext_of(&buffer, text); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " "), cells = cells_of_part(text, length);

		if (width && at > column && at + 1 + cells > width) {
			fprintf(out, "\n%*s", (int)column, "");
			at = column;
		} else if (at > column) {
			putc(' ', out);
			at++;
		}
		fwrite(text, 1, length, out);
		at += cells;
		text += length;
	}
	putc('\n', out);
	textbuf_release(&buffer);
}

/* Makes the pages of a program's text private before they are written to, while it runs.
 *
 * Writes one unchanged byte of each through /proc: the kernel copies the page (copy on write), and
 * the protection of the text, which the program may be changing, is not affected.  Only for the
 * program's own file, since that is never unloaded. */
#ifndef KYMO_TEXTREADY_H
#define KYMO_TEXTREADY_H

#include "attach/functions/textwrites.h"
#include "attach/target/targetmaps.h"

/* Handle all pages of the program's file that writes change; false: some of them may still be
 * shared with the file. */
bool textready(const struct textwrites *writes, const struct targetmaps *maps,
	       const struct targetmodule *program);

#endif

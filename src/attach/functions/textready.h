/* Pages of a program's text are made its own before they are written to, while it runs.
 *
 * One byte of each is written as it is, by way of /proc: the kernel copies the page for that, and
 * the protection of the text is left alone, since the program may be changing it.  This is for
 * the program's own file: nobody unloads that, so that what is written to stays text. */
#ifndef KYMO_TEXTREADY_H
#define KYMO_TEXTREADY_H

#include "attach/functions/textwrites.h"
#include "attach/target/targetmaps.h"

/* All pages of the program's file that writes change; false: some of them may be the file's
 * still. */
bool textready(const struct textwrites *writes, const struct targetmaps *maps,
	       const struct targetmodule *program);

#endif

/* Maps lines of the C that Cython generated to the lines of its sources.
 *
 * Debug information knows only the generated file, whose comments name the file and line of each
 * piece.  It is read if it is a regular file of at most 64 MiB, begins as Cython's do, and is not
 * younger than the module built from it: a younger one has other lines.  If it no longer exists
 * where it was compiled, one in the module's folder is used.  Files are read once.  Texts belong to
 * it.  Not thread-safe. */
#ifndef KYMO_CYTHON_LINES_H
#define KYMO_CYTHON_LINES_H

#include <stddef.h>

#include "object/debug/debug_info.h"

struct cython_lines;

struct cython_lines *cython_lines_new(void); /* NULL = no memory */
void cython_lines_free(struct cython_lines *lines);

/* Replace files and lines of the functions at one address, innermost first, by those of their
 * sources, and merge each Python function with the wrapper that it is inlined into.  module: path
 * of the file that they are in.  Returns how many functions remain. */
size_t cython_lines_apply(struct cython_lines *lines, const char *module,
			  struct debug_function *functions, size_t count);

#endif

/* Which lines of Cython's sources the lines of the C that it generated were made from.
 *
 * Debug information knows the generated file only, which says itself, in comments, of which
 * line of which file each piece was made.  It is read when it is a regular file of at most
 * 64 MiB that begins as Cython's do, and is not younger than the module that was made of it:
 * that has other lines.  Where it is gone from where it was compiled, one beside the module
 * counts.  Files are read once.  Texts belong to it.  Not thread-safe. */
#ifndef KYMO_CYTHON_LINES_H
#define KYMO_CYTHON_LINES_H

#include <stddef.h>

#include "object/debug/debug_info.h"

struct cython_lines;

struct cython_lines *cython_lines_new(void); /* NULL = no memory */
void cython_lines_free(struct cython_lines *lines);

/* Give functions at one address, innermost first, the files and lines of their sources, and make
 * one of each function of Python and its wrapper that it is inlined into.  module: path of the
 * file that they are in.  Returns how many they are then. */
size_t cython_lines_apply(struct cython_lines *lines, const char *module,
			  struct debug_function *functions, size_t count);

#endif

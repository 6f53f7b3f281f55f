/* What libraries are by the names of their files.  Pure.  Context: any. */
#ifndef KYMO_SYSTEM_LIBRARY_H
#define KYMO_SYSTEM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the file of that name is of the library that wanted's first length bytes name: "libc" is
 * "libc.so.6" and "libc-2.31.so"; a last "_" makes them the beginning of names. */
bool library_is_named(const char *name, const char *wanted, size_t length);

/* One of those that are there for every program and rarely meant: the C library's and the
 * compilers'. */
bool library_is_of_system(const char *name);

/* One of Kymo's own. */
bool library_is_ours(const char *name);

#endif

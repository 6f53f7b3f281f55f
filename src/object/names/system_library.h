/* Classifies libraries by the names of their files.  Pure.  Context: any. */
#ifndef KYMO_SYSTEM_LIBRARY_H
#define KYMO_SYSTEM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the file of that name is of the library named by wanted's first length bytes: "libc" is
 * "libc.so.6" and "libc-2.31.so"; with a final "_" they are a prefix. */
bool library_is_named(const char *name, const char *wanted, size_t length);

/* A library that every program uses and users are rarely interested in: the C library's and the
 * compilers'. */
bool library_is_of_system(const char *name);

/* One of Kymo's own. */
bool library_is_kymo(const char *name);

#endif

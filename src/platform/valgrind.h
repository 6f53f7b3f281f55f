/* Whether this process runs in Valgrind: a translation of its code does, and what is written into
 * the code is not seen; vfork() is fork(), and a process that ends by exit, even a child that
 * shares all with its parent elsewhere, writes out what the C library holds back.
 * Context: any. */
#ifndef KYMO_VALGRIND_H
#define KYMO_VALGRIND_H

#include <stdbool.h>

bool valgrind_is_here(void);

#endif

/* Whether this process runs in Valgrind, which executes a translation of the code and does not
 * notice writes into it; vfork() is fork() there, and exit flushes the C library's buffers, even in
 * a child that elsewhere shares its parent's memory. Context: any. */
#ifndef KYMO_VALGRIND_H
#define KYMO_VALGRIND_H

#include <stdbool.h>

bool valgrind_is_here(void);

#endif

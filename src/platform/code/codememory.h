/* Changing code through /proc/self/mem.
 *
 * Such writes go to pages that stay readable and executable: they are never writable and executable
 * at once, other threads may run in them at the same time, and no policy about making memory
 * executable applies.  The kernel writes into a private copy of the page; the mapping keeps the
 * file's name.
 *
 * Only single bytes are atomic for other threads: a caller that changes more than one byte ensures
 * that no thread runs there.  No function of the C library is called.  Context: any. */
#ifndef KYMO_CODEMEMORY_H
#define KYMO_CODEMEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Whether it works, tested once per process on code of its own: 0 or an errno value. ENOTSUP:
 * written code is not what is executed, as under an emulator. */
int memory_learn(void);

/* A descriptor, closed by raw_call(SYS_close), or -errno. */
long memory_open(void);
/* 0 or an errno value: then part of it may have been written. */
int memory_put(long memory, uint64_t at, const void *bytes, size_t size);
/* Open, put, close. */
int memory_poke(uint64_t at, const void *bytes, size_t size);

#endif

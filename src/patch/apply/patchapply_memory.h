/* The process's own memory as a file: the way in which Kymo changes code.
 *
 * What is written so goes into pages that may only be read and executed, and stay so: they are
 * never writable and executable at once, others run in them meanwhile, no policy about making
 * memory executable is asked.  The kernel writes into a copy of the page that this process alone
 * has; the file's name stays in its maps.
 *
 * Others see each byte of it whole, and no more than that: who changes more than one has seen to
 * it that nobody runs there.  No function of the C library is called.  Context: any. */
#ifndef KYMO_PATCHAPPLY_MEMORY_H
#define KYMO_PATCHAPPLY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Whether it can be had, tried once in a process on code of its own: 0 or an errno value.
 * ENOTSUP: what is written is not what runs, as under an emulator. */
int memory_learn(void);

/* A descriptor, closed by raw_call(SYS_close), or -errno. */
long memory_open(void);
/* 0 or an errno value: then some of it may have been written. */
int memory_put(long memory, uint64_t at, const void *bytes, size_t size);
/* Open, put, close. */
int memory_poke(uint64_t at, const void *bytes, size_t size);

#endif

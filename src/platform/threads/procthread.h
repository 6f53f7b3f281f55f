/* Small files of the kernel's about threads, read without the C library.  Context: any. */
#ifndef KYMO_PROCTHREAD_H
#define KYMO_PROCTHREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* /proc/PROCESS/NAME, or /proc/PROCESS/task/THREAD/NAME when thread is not 0.  Bytes that were
 * read, with a NUL behind them, or negative. */
long proc_read(int32_t process, int32_t thread, const char *name, char *bytes, size_t size);

/* The number behind "KEY:" of a status file, in base 10 or 16; -1: it is not there. */
int64_t proc_number(const char *status, const char *key, unsigned base);

/* Tell every thread of the process, until tell returns false.  False: they cannot be listed. */
typedef bool (*proc_thread_fn)(int32_t thread, void *context);
bool proc_threads(int32_t process, proc_thread_fn tell, void *context);

#endif

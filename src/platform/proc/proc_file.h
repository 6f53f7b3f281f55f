/* The kernel's files about processes and threads: opened, read and listed in one way, inside
 * programs, too.  No function of the C library is called, nothing is allocated, errno stays.
 *
 * A process is named by its id as this process's namespace has it, this one by PROC_SELF.  What the
 * files say is in proc_maps.h, proc_stat.h and proc_status.h.  Context: any. */
#ifndef KYMO_PROC_FILE_H
#define KYMO_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROC_SELF INT32_MIN /* no number that anybody gives */

/* /proc/PROCESS/NAME, or /proc/PROCESS/task/THREAD/NAME when thread is not 0.  A descriptor, which
 * the caller closes, or -errno; flags: those of open() besides O_RDONLY and O_CLOEXEC. */
long proc_open(int32_t process, int32_t thread, const char *name, int flags);

/* What such a file begins with.  Bytes that were read, with a NUL behind them, or -errno. */
long proc_read(int32_t process, int32_t thread, const char *name, char *bytes, size_t size);

/* Tell every thread of the process, until tell returns false.  False: they cannot be listed. */
typedef bool (*proc_thread_fn)(int32_t thread, void *context);
bool proc_threads(int32_t process, proc_thread_fn tell, void *context);
/* How many threads it has; 0 = that cannot be told. */
uint64_t proc_thread_count(int32_t process);

/* Tell every child that a thread of the process has made, until tell returns false.  False: the
 * kernel has no lists of them, or the thread is gone. */
typedef bool (*proc_child_fn)(int32_t child, void *context);
bool proc_children(int32_t process, int32_t thread, proc_child_fn tell, void *context);

#endif

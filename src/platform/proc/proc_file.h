/* The kernel's files about processes and threads: opened, read and listed in one way, inside
 * programs, too.  Calls no function of the C library, allocates nothing, keeps errno.
 *
 * A process is identified by its id in this process's pid namespace, this one by PROC_SELF.
 * Their content is parsed in proc_maps.h, proc_stat.h and proc_status.h.  Context: any. */
#ifndef KYMO_PROC_FILE_H
#define KYMO_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROC_SELF INT32_MIN /* not the id of any process */

/* /proc/PROCESS/NAME, or /proc/PROCESS/task/THREAD/NAME if thread is not 0.  A descriptor, which
 * the caller closes, or -errno; flags: those of open() besides O_RDONLY and O_CLOEXEC. */
long proc_open(int32_t process, int32_t thread, const char *name, int flags);

/* Read the beginning of such a file.  Returns the number of bytes read, followed by a NUL, or
 * -errno. */
long proc_read(int32_t process, int32_t thread, const char *name, char *bytes, size_t size);

/* Report every thread of the process, until report returns false.  False: they cannot be listed. */
typedef bool (*proc_thread_fn)(int32_t thread, void *context);
bool proc_threads(int32_t process, proc_thread_fn report, void *context);
/* Number of its threads; 0 = unknown. */
uint64_t proc_thread_count(int32_t process);

/* Report every child that a thread of the process has created, until report returns false.  False:
 * the kernel has no lists of them, or the thread has ended. */
typedef bool (*proc_child_fn)(int32_t child, void *context);
bool proc_children(int32_t process, int32_t thread, proc_child_fn report, void *context);

#endif

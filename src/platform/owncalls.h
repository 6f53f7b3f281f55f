/* Kymo makes its system calls itself: another preloaded library may replace any function of the C
 * library, with a false time (libfaketime), false owners (fakeroot), or code that is unloaded when
 * Kymo's own end runs.
 *
 * What is loaded into programs is linked with --wrap=NAME for each OWN_CALL here
 * (cmake/KymoOwnCalls.cmake reads this file): its references are bound to these, while what a
 * collector itself exports under such a name, and what it looks up for the program, stay the
 * program's.  Like the functions they are named after, including errno, but not cancellation
 * points.  They use general registers only, because callers in trampolines save no others.
 * Context: any. */
#ifndef KYMO_OWNCALLS_H
#define KYMO_OWNCALLS_H

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The linker's name of the function, with the C library's type. */
#define OWN_CALL(name)                                                                             \
	extern __typeof__(name) __wrap_##name;                                                     \
	__typeof__(name) __wrap_##name __attribute__((visibility("hidden")));

OWN_CALL(open)
OWN_CALL(openat)
OWN_CALL(close)
OWN_CALL(read)
OWN_CALL(write)
OWN_CALL(pread)
OWN_CALL(pwrite)
OWN_CALL(sendfile)
OWN_CALL(ftruncate)
OWN_CALL(truncate)
OWN_CALL(fcntl)
OWN_CALL(dup2)
OWN_CALL(ioctl)
OWN_CALL(fstat)
OWN_CALL(stat)
OWN_CALL(lstat)
OWN_CALL(fchmod)
OWN_CALL(fgetxattr)
OWN_CALL(access)
OWN_CALL(mkdir)
OWN_CALL(rename)
OWN_CALL(renameat)
OWN_CALL(renameat2)
OWN_CALL(unlink)
OWN_CALL(link)
OWN_CALL(symlink)
OWN_CALL(readlink)
OWN_CALL(readlinkat)
OWN_CALL(chdir)
OWN_CALL(mmap)
OWN_CALL(munmap)
OWN_CALL(mremap)
OWN_CALL(mprotect)
OWN_CALL(madvise)
OWN_CALL(process_vm_readv)
OWN_CALL(getpid)
OWN_CALL(getppid)
OWN_CALL(getpgid)
OWN_CALL(getsid)
OWN_CALL(setsid)
OWN_CALL(getuid)
OWN_CALL(geteuid)
OWN_CALL(getgid)
OWN_CALL(getrusage)
OWN_CALL(getrlimit)
OWN_CALL(uname)
OWN_CALL(waitpid)
OWN_CALL(prctl)
OWN_CALL(sched_yield)
OWN_CALL(sigaltstack)
OWN_CALL(poll)
OWN_CALL(ppoll)
OWN_CALL(syscall)

#endif

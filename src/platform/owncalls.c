/* Like the C library's functions, which set errno and return -1 if the kernel returns a negative
 * number. */
#include "platform/owncalls.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include "platform/rawcall.h"

#define NS_PER_MS	  1000000
#define KERNEL_MASK_BYTES 8

static inline long owncalls_outcome(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

#define CALL6(number, a, b, c, d, e, f, ...)                                                       \
	owncalls_outcome(raw_call6(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e),  \
				   (long)(f)))
#define CALL(...) CALL6(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

int __wrap_open(const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
	va_end(more);
	return (int)CALL(SYS_openat, AT_FDCWD, path, flags, mode);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
	va_end(more);
	return (int)CALL(SYS_openat, folder, path, flags, mode);
}

int __wrap_close(int fd)
{
	return (int)CALL(SYS_close, fd);
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	return CALL(SYS_read, fd, to, size);
}

ssize_t __wrap_write(int fd, const void *from, size_t size)
{
	return CALL(SYS_write, fd, from, size);
}

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset)
{
	return CALL(SYS_pread64, fd, to, size, offset);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t size, off_t offset)
{
	return CALL(SYS_pwrite64, fd, from, size, offset);
}

ssize_t __wrap_sendfile(int to, int from, off_t *offset, size_t size)
{
	return CALL(SYS_sendfile, to, from, offset, size);
}

int __wrap_ftruncate(int fd, off_t size)
{
	return (int)CALL(SYS_ftruncate, fd, size);
}

int __wrap_truncate(const char *path, off_t size)
{
	return (int)CALL(SYS_truncate, path, size);
}

int __wrap_fcntl(int fd, int command, ...)
{
	va_list more;
	long argument;

	va_start(more, command);
	argument = va_arg(more, long);
	va_end(more);
	return (int)CALL(SYS_fcntl, fd, command, argument);
}

int __wrap_dup2(int from, int to)
{
	if (from == to) /* rejected by dup3() */
		return CALL(SYS_fcntl, from, F_GETFD) < 0 ? -1 : to;
	return (int)CALL(SYS_dup3, from, to, 0);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list more;
	long argument;

	va_start(more, request);
	argument = va_arg(more, long);
	va_end(more);
	return (int)CALL(SYS_ioctl, fd, request, argument);
}

int __wrap_fstat(int fd, struct stat *facts)
{
	return (int)CALL(SYS_newfstatat, fd, "", facts, AT_EMPTY_PATH);
}

int __wrap_stat(const char *path, struct stat *facts)
{
	return (int)CALL(SYS_newfstatat, AT_FDCWD, path, facts, 0);
}

int __wrap_lstat(const char *path, struct stat *facts)
{
	return (int)CALL(SYS_newfstatat, AT_FDCWD, path, facts, AT_SYMLINK_NOFOLLOW);
}

int __wrap_fchmod(int fd, mode_t mode)
{
	return (int)CALL(SYS_fchmod, fd, mode);
}

ssize_t __wrap_fgetxattr(int fd, const char *name, void *value, size_t size)
{
	return CALL(SYS_fgetxattr, fd, name, value, size);
}

int __wrap_access(const char *path, int mode)
{
	return (int)CALL(SYS_faccessat, AT_FDCWD, path, mode);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	return (int)CALL(SYS_mkdirat, AT_FDCWD, path, mode);
}

int __wrap_rename(const char *from, const char *to)
{
	return (int)CALL(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	return (int)CALL(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned flags)
{
	return (int)CALL(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int __wrap_unlink(const char *path)
{
	return (int)CALL(SYS_unlinkat, AT_FDCWD, path, 0);
}

int __wrap_link(const char *from, const char *to)
{
	return (int)CALL(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int __wrap_symlink(const char *target, const char *path)
{
	return (int)CALL(SYS_symlinkat, target, AT_FDCWD, path);
}

ssize_t __wrap_readlink(const char *path, char *to, size_t size)
{
	return CALL(SYS_readlinkat, AT_FDCWD, path, to, size);
}

ssize_t __wrap_readlinkat(int folder, const char *path, char *to, size_t size)
{
	return CALL(SYS_readlinkat, folder, path, to, size);
}

int __wrap_chdir(const char *path)
{
	return (int)CALL(SYS_chdir, path);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)CALL(SYS_mmap, at, size, protection, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t size)
{
	return (int)CALL(SYS_munmap, at, size);
}

void *__wrap_mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
	va_list more;
	void *to;

	va_start(more, flags);
	to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
	va_end(more);
	return (void *)CALL(SYS_mremap, at, size, new_size, flags, to);
}

int __wrap_mprotect(void *at, size_t size, int protection)
{
	return (int)CALL(SYS_mprotect, at, size, protection);
}

int __wrap_madvise(void *at, size_t size, int advice)
{
	return (int)CALL(SYS_madvise, at, size, advice);
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_count,
				const struct iovec *from, unsigned long from_count,
				unsigned long flags)
{
	return CALL(SYS_process_vm_readv, pid, to, to_count, from, from_count, flags);
}

pid_t __wrap_getpid(void)
{
	return (pid_t)CALL(SYS_getpid);
}

pid_t __wrap_getppid(void)
{
	return (pid_t)CALL(SYS_getppid);
}

pid_t __wrap_getpgid(pid_t pid)
{
	return (pid_t)CALL(SYS_getpgid, pid);
}

pid_t __wrap_getsid(pid_t pid)
{
	return (pid_t)CALL(SYS_getsid, pid);
}

pid_t __wrap_setsid(void)
{
	return (pid_t)CALL(SYS_setsid);
}

uid_t __wrap_getuid(void)
{
	return (uid_t)CALL(SYS_getuid);
}

uid_t __wrap_geteuid(void)
{
	return (uid_t)CALL(SYS_geteuid);
}

gid_t __wrap_getgid(void)
{
	return (gid_t)CALL(SYS_getgid);
}

int __wrap_getrusage(__rusage_who_t who, struct rusage *usage)
{
	return (int)CALL(SYS_getrusage, who, usage);
}

int __wrap_getrlimit(__rlimit_resource_t what, struct rlimit *limit)
{
	return (int)CALL(SYS_prlimit64, 0, what, NULL, limit);
}

int __wrap_uname(struct utsname *names)
{
	return (int)CALL(SYS_uname, names);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	return (pid_t)CALL(SYS_wait4, pid, status, options, NULL);
}

int __wrap_prctl(int what, ...)
{
	unsigned long arguments[4];
	va_list more;

	va_start(more, what);
	for (int i = 0; i < 4; i++)
		arguments[i] = va_arg(more, unsigned long);
	va_end(more);
	return (int)CALL(SYS_prctl, what, arguments[0], arguments[1], arguments[2], arguments[3]);
}

int __wrap_sched_yield(void)
{
	return (int)CALL(SYS_sched_yield);
}

int __wrap_sigaltstack(const stack_t *stack, stack_t *old)
{
	return (int)CALL(SYS_sigaltstack, stack, old);
}

int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
	struct timespec left = {timeout_ms / 1000, (long)(timeout_ms % 1000) * NS_PER_MS};

	return (int)CALL(SYS_ppoll, polled, count, timeout_ms < 0 ? NULL : &left, NULL, 0);
}

int __wrap_ppoll(struct pollfd *polled, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	struct timespec left = timeout ? *timeout : (struct timespec){0, 0}; /* it is written to */

	return (int)CALL(SYS_ppoll, polled, count, timeout ? &left : NULL, mask, KERNEL_MASK_BYTES);
}

long __wrap_syscall(long number, ...)
{
	long arguments[6];
	va_list more;

	va_start(more, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(more, long);
	va_end(more);
	return CALL(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		    arguments[5]);
}

/* File functions that are not cancellation points, unlike the C library's: a thread must not be
 * cancelled while it holds one of Kymo's locks, or inside of a signal handler.  Otherwise like the
 * functions they are named after, including errno.  Context: any. */
#ifndef KYMO_NOCANCEL_IO_H
#define KYMO_NOCANCEL_IO_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int plain_open(const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int plain_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

static inline ssize_t plain_read(int fd, void *to, size_t size)
{
	return syscall(SYS_read, fd, to, size);
}

static inline ssize_t plain_pread(int fd, void *to, size_t size, off_t offset)
{
	return syscall(SYS_pread64, fd, to, size, offset);
}

static inline ssize_t plain_write(int fd, const void *from, size_t size)
{
	return syscall(SYS_write, fd, from, size);
}

static inline ssize_t plain_pwrite(int fd, const void *from, size_t size, off_t offset)
{
	return syscall(SYS_pwrite64, fd, from, size, offset);
}

static inline int plain_fallocate(int fd, int mode, off_t offset, off_t size)
{
	return (int)syscall(SYS_fallocate, fd, mode, offset, size);
}

#endif

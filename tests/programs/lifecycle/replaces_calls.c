/* A library for LD_PRELOAD whose functions, once its destructor has run, end the program: what
 * libraries that replace the C library's functions do not say, but do.  Before that they do as
 * the C library's. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int *state; /* gone at the end */
static int is_alive = 1;

static void touch(void)
{
	if (*state != 1)
		raise(SIGTRAP);
}

__attribute__((constructor)) static void begin(void)
{
	state = &is_alive;
}

__attribute__((destructor)) static void end(void)
{
	state = NULL;
}

#define PASS(...) (touch(), syscall(__VA_ARGS__))

int fstat(int fd, struct stat *facts)
{
	return (int)PASS(SYS_newfstatat, fd, "", facts, AT_EMPTY_PATH);
}

int stat(const char *path, struct stat *facts)
{
	return (int)PASS(SYS_newfstatat, AT_FDCWD, path, facts, 0);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	return (int)PASS(SYS_clock_gettime, clock, now);
}

pid_t getpid(void)
{
	return (pid_t)PASS(SYS_getpid);
}

int ftruncate(int fd, off_t size)
{
	return (int)PASS(SYS_ftruncate, fd, size);
}

int rename(const char *from, const char *to)
{
	return (int)PASS(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
	return (int)PASS(SYS_unlinkat, AT_FDCWD, path, 0);
}

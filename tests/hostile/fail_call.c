/* Preloaded by test_anomaly.py: makes the n-th call of a function from libkymo.so fail.
 * FAIL_CALL="mmap:3" fails the third one, "mmap:3+" that and all later ones; a file
 * FAIL_MARK is made when one has failed.  Calls of everybody else go through. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

static int is_from_kymo(void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libkymo.so");
}

static void mark(void)
{
	const char *path = getenv("FAIL_MARK");
	int fd = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
}

/* Whether this call is to fail; errno is set then. */
static int fails(const char *name, void *caller, int reason)
{
	const char *wish = getenv("FAIL_CALL");
	size_t length = strlen(name);
	int number, wanted;

	if (!wish || strncmp(wish, name, length) != 0 || wish[length] != ':' ||
	    !is_from_kymo(caller))
		return 0;
	wanted = atoi(wish + length + 1);
	number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (number != wanted && !(number > wanted && strchr(wish, '+')))
		return 0;
	mark();
	errno = reason;
	return 1;
}

/* The C library's function of this name is the one below. */
static long system_call(long number, const long arguments[6])
{
	long result;
#if defined(__x86_64__)
	register long fourth __asm__("r10") = arguments[3];
	register long fifth __asm__("r8") = arguments[4];
	register long sixth __asm__("r9") = arguments[5];

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]),
			   "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = arguments[0];
	register long x1 __asm__("x1") = arguments[1];
	register long x2 __asm__("x2") = arguments[2];
	register long x3 __asm__("x3") = arguments[3];
	register long x4 __asm__("x4") = arguments[4];
	register long x5 __asm__("x5") = arguments[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	result = x0;
#endif
	if (result >= -4095 && result < 0) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

long syscall(long number, ...)
{
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_fallocate && fails("fallocate", __builtin_return_address(0), ENOSPC))
		return -1;
	return system_call(number, arguments);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (fails("mmap", __builtin_return_address(0), ENOMEM))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

int ftruncate(int fd, off_t size)
{
	if (fails("ftruncate", __builtin_return_address(0), EIO))
		return -1;
	return (int)syscall(SYS_ftruncate, fd, size);
}

/* Where it is missing altogether links are made: so it is when those are to fail. */
static int is_missing(const char *replacement, void *caller)
{
	const char *wish = getenv("FAIL_CALL");

	return wish && !strncmp(wish, replacement, strlen(replacement)) && is_from_kymo(caller);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	if (is_missing("link:", __builtin_return_address(0))) {
		errno = EINVAL;
		return -1;
	}
	if (fails("renameat2", __builtin_return_address(0), EINVAL))
		return -1;
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to)
{
	if (fails("link", __builtin_return_address(0), EPERM))
		return -1;
	return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int rename(const char *from, const char *to)
{
	if (fails("rename", __builtin_return_address(0), EXDEV))
		return -1;
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

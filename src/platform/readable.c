/* The cheapest system call that reads eight bytes and changes nothing is rt_sigprocmask() with
 * an invalid operation: the kernel copies the set first, and rejects the operation then.
 * process_vm_readv() is not allowed in some containers. */
#include "platform/readable.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/pages.h"

#define NO_SUCH_OPERATION 0x7fff
#define KERNEL_SET_SIZE	  8

static bool has_no_readv;

bool readable_page(uint64_t address)
{
	KEEP_ERRNO();
	bool is_readable;

	if (pages_are_frozen())
		return false;
	address &= ~(uint64_t)(READABLE_PAGE - 1);
	is_readable = syscall(SYS_rt_sigprocmask, NO_SUCH_OPERATION, address, NULL,
			      KERNEL_SET_SIZE) < 0 &&
		      errno == EINVAL;
	return is_readable;
}

bool readable_peek(uint64_t address, void *to, size_t size)
{
	if (size == 0)
		return true;
	if (address + size < address)
		return false;
	for (uint64_t page = address & ~(uint64_t)(READABLE_PAGE - 1); page < address + size;
	     page += READABLE_PAGE)
		if (!readable_page(page))
			return false;
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

bool readable_copy(uint64_t address, void *to, size_t size)
{
	return readable_copy_as(0, address, to, size);
}

bool readable_copy_as(int system_id, uint64_t address, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};
	KEEP_ERRNO();
	ssize_t got;

	if (size == 0)
		return true;
	if (pages_are_frozen() || address + size < address)
		return false;
	if (!__atomic_load_n(&has_no_readv, __ATOMIC_RELAXED)) {
		/* By the thread's id: the main thread may have ended. */
		got = syscall(SYS_process_vm_readv,
			      system_id ? (long)system_id : syscall(SYS_gettid), &local, 1, &remote,
			      1, 0);
		if (got >= 0 || errno == EFAULT)
			return got == (ssize_t)size;
		__atomic_store_n(&has_no_readv, true, __ATOMIC_RELAXED);
	}
	return readable_peek(address, to, size); /* nothing better is allowed */
}

/* The frame of a system call: which one, and on which object. */
#include "collectors/sampler/sampler_kernel.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>

#include "collectors/sampler/sampler_call.h"
#include "collectors/sampler/sampler_state.h"
#include "format/descriptor_kind.h"
#include "object/unwind/unwind.h"

#ifndef FUTEX_LOCK_PI2 /* Linux 5.14 */
#define FUTEX_LOCK_PI2 13
#endif

#define PAGE	      4096u
#define ADDRESS_BITS  48
#define KIND_SHIFT    32
#define NO_DESCRIPTOR (-1)

/* A page that was read once by a system call is read directly from then on, but only while the
 * interrupted thread executes in it: adjacent ones may be unmapped. */
bool sampler_can_read_code(struct sampler_thread *self, uint64_t pc, size_t before, size_t after)
{
	uint64_t first = (pc - before) / PAGE, last = (pc + after - 1) / PAGE;
	char byte;

	if (first > last) /* a jump to an invalid address */
		return false;
	for (uint64_t page = first; page <= last; page++) {
		bool is_current = self && page == pc / PAGE;
		uint64_t *known = is_current ? &self->code_page[page % SAMPLER_CODE_PAGES] : NULL;

		if (known && *known == page)
			continue;
		if (!unwind_copy(page * PAGE, &byte, 1))
			return false;
		if (known)
			*known = page;
	}
	return true;
}

enum object { OBJECT_NONE, OBJECT_FUTEX, OBJECT_DESCRIPTOR, OBJECT_POLL, OBJECT_SET };

static enum object object_of(uint32_t number)
{
	switch (number) {
	case SYS_futex:
		return OBJECT_FUTEX;
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll:
		return OBJECT_POLL;
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6:
		return OBJECT_SET;
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
	case SYS_epoll_pwait2:
#endif
	case SYS_read:
	case SYS_write:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_readv:
	case SYS_writev:
	case SYS_preadv:
	case SYS_pwritev:
	case SYS_preadv2:
	case SYS_pwritev2:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_ioctl:
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_ftruncate:
	case SYS_fallocate:
	case SYS_flock:
	case SYS_fcntl:
	case SYS_getdents64:
		return OBJECT_DESCRIPTOR;
	default:
		return OBJECT_NONE;
	}
}

static enum kymo_descriptor_kind kernel_kind_of(int descriptor)
{
	struct stat status;

	if (fstat(descriptor, &status) != 0)
		return KYMO_DESCRIPTOR_UNKNOWN;
	return kymo_descriptor_kind(&status);
}

/* A descriptor may be closed and reused: it is checked only if the thread waits. */
static uint64_t descriptor_object(struct sampler_thread *self, int descriptor, bool is_waiting)
{
	if (descriptor < 0)
		return 0;
	if (is_waiting || descriptor != self->descriptor) {
		self->descriptor = descriptor;
		self->descriptor_kind = kernel_kind_of(descriptor);
	}
	return (uint64_t)self->descriptor_kind << KIND_SHIFT | (uint32_t)descriptor;
}

/* A thread that wakes others may be interrupted in that call, too: without a processor, but not
 * waiting. */
bool sampler_call_is_wait(const struct sampler_call *call)
{
	if (!call->is_call || call->number != SYS_futex)
		return false;
	switch ((int)call->operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

static int polled(uint64_t address)
{
	struct pollfd first;

	return address && unwind_copy(address, &first, sizeof(first)) ? first.fd : NO_DESCRIPTOR;
}

uint64_t sampler_kernel_frame(struct sampler_thread *self, const struct sampler_call *call,
			      bool is_waiting)
{
	uint64_t object = 0;

	switch (object_of(call->number)) {
	case OBJECT_FUTEX:
		if (sampler_call_is_wait(call))
			object = call->argument & ((UINT64_C(1) << ADDRESS_BITS) - 1);
		break;
	case OBJECT_SET: /* without descriptors it waits for time to pass */
		if ((int)call->argument > 0)
			object = (uint64_t)KYMO_DESCRIPTOR_OTHER << KIND_SHIFT;
		break;
	case OBJECT_DESCRIPTOR:
		object = descriptor_object(self, (int)call->argument, is_waiting);
		break;
	case OBJECT_POLL:
		object = descriptor_object(self, polled(call->argument), is_waiting);
		break;
	case OBJECT_NONE:
		break;
	}
	return kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)call->meant << ADDRESS_BITS | object);
}

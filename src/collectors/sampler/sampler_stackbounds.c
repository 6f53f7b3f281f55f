/* Determines which memory is the thread's stack.
 *
 * Its upper end is known when the thread begins; downwards it is what the thread was seen to
 * use, page by page, each read once by a system call before it is read directly.  A thread that
 * runs on another stack (of a coroutine, of a signal) is detected by a hole or a guard page in
 * between, and then everything is read by system calls. */
#include "collectors/sampler/sampler_stackbounds.h"

#include <pthread.h>

#include "collectors/sampler/sampler_state.h"

#define PAGE	   4096u
#define NEAR	   (UINT64_C(64) << 10) /* distance to the thread's descriptor at its beginning */
#define PAGES_MAX  16384u
#define SPREAD_MAX (UINT64_C(1) << 30)

extern void *__libc_stack_end
	__attribute__((weak)); /* defined by the loader: of the first thread */

static uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(PAGE - 1);
}

void sampler_bounds_begin(struct sampler_thread *self)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	uint64_t descriptor = (uint64_t)pthread_self();
	uint64_t end = &__libc_stack_end ? (uint64_t)(uintptr_t)__libc_stack_end : 0;

	self->stack_low = here;
	self->stack_high = 0;
	self->foreign_page = 0;
	if (descriptor > here && descriptor - here < NEAR)
		self->stack_high = descriptor; /* the C library puts it above the stack */
	else if (self->number == 0 && end > here && end - here < SPREAD_MAX)
		self->stack_high = end;
}

static bool can_read_down_to(struct sampler_thread *self, uint64_t low)
{
	uint64_t page = page_of(self->stack_low), count = 0;
	char byte;

	while (page > low) {
		page -= PAGE;
		if (count++ == PAGES_MAX || !unwind_copy(page, &byte, 1))
			return false;
	}
	return true;
}

struct unwind_stack sampler_bounds_of(struct sampler_thread *self, uint64_t sp)
{
	static const struct unwind_stack unknown;
	uint64_t low = page_of(sp);

	if (sp >= self->stack_high || self->stack_high - sp > SPREAD_MAX ||
	    low == self->foreign_page)
		return unknown;
	if (sp < self->stack_low) {
		if (!can_read_down_to(self, low)) {
			self->foreign_page = low;
			return unknown;
		}
		self->stack_low = low;
	}
	return (struct unwind_stack){self->stack_low, self->stack_high};
}

/* Processors whose system calls are not decoded: nothing is known. */
#include "collectors/sampler/sampler_call.h"

#include <errno.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "collectors/sampler/sampler_state.h"

void sampler_call_decode(const void *ucontext, struct sampler_thread *self,
			 struct sampler_call *out)
{
	(void)ucontext;
	(void)self;
	*out = (struct sampler_call){.number = KYMO_FRAME_NO_CALL, .may_have_slept = true};
}

void sampler_call_name(const void *ucontext, const struct unwind_stack *stack,
		       struct sampler_call *call)
{
	(void)ucontext, (void)stack, (void)call;
}

void sampler_call_end(void *ucontext)
{
	(void)ucontext;
}

void sampler_call_on(void (*function)(void *), void *argument, void *top)
{
	(void)top;
	function(argument);
}

long sampler_system_call(long number, long first, long second, long third, long fourth)
{
	KEEP_ERRNO();
	long result = syscall(number, first, second, third, fourth);

	result = result < 0 ? -errno : result;
	return result;
}

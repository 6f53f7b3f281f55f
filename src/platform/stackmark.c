/* Distinguishing frames that were interrupted from frames that are gone. */
#include "platform/stackmark.h"

#include <signal.h>

#include "base/keeperrno.h"

/* Between a handler and the interrupted code is at least the frame in which the kernel saves the
 * registers; ordinary calls from one place differ by less. */
#define SIGNAL_FRAME_MIN 512

static __thread bool is_elsewhere __attribute__((tls_model("initial-exec")));

void stack_mark_elsewhere(bool is_so)
{
	is_elsewhere = is_so;
}

bool stack_is_elsewhere(void)
{
	return is_elsewhere;
}

/* On an alternate stack the position of a handler's frames is no indication. */
static bool is_on_signal_stack(void)
{
	stack_t stack = {.ss_flags = SS_DISABLE};
	KEEP_ERRNO();
	bool is_on =
		is_elsewhere || (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK));

	return is_on;
}

bool stack_mark_is_alive(uint32_t earlier, uint32_t mark)
{
	return (int32_t)(mark - earlier) < -SIGNAL_FRAME_MIN || is_on_signal_stack();
}

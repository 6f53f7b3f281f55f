/* System calls by number that change what a signal does.  They are made by libraries that must
 * not call the C library, in particular in a child forked from several threads. */
#include "collectors/signal_hiding/hiding_calls.h"

#include <sys/syscall.h>

#include "collectors/signal_hiding/hiding_actions.h"
#include "collectors/signal_hiding/hiding_real.h"
#include "collectors/signal_hiding/signal_hiding.h"

long hiding_system_call(long number, const long arguments[6])
{
	if (kymo_unlikely(number == SYS_rt_sigaction) && hiding_is_on())
		return hiding_kernel_action(arguments);
	return hiding_real()->syscall(number, arguments[0], arguments[1], arguments[2],
				      arguments[3], arguments[4], arguments[5]);
}

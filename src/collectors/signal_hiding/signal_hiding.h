/* Hiding sampling's signals from the program: the logic of the exported wrappers.
 *
 * Everything here is hidden in libkymo-signal_hiding.so.  If nothing is sampled each function
 * only calls the wrapped one.  No state is kept about the program's masks: what it would see is
 * derived from the real mask (kymo_signal_is_all()), which is also correct after a siglongjmp(),
 * a swapcontext(), in new threads and in children.  errno is the wrapped function's.  Context:
 * any, signal handlers of the program too. */
#ifndef KYMO_SIGNAL_HIDING_H
#define KYMO_SIGNAL_HIDING_H

#include <stdbool.h>
#include <sys/syscall.h>

#include "collectors/signal_hiding/hiding_real.h"
#include "runtime/control/signalshare.h"
#include "runtime/hot.h"

/* hiding_<name>() replaces <name>(). */
#define WRAP(type, name, parameters, arguments)		type hiding_##name parameters;
#define ALIAS(type, other, name, parameters, arguments) /* nothing of its own */
#include "collectors/signal_hiding/signal_hiding.def"
#undef WRAP
#undef ALIAS

static inline bool hiding_is_on(void)
{
	return kymo_unlikely(kymo_sample_signals() != 0);
}

/* Newer processors have only the newer of two calls, for both functions. */
#ifndef SYS_poll
#define SYS_poll SYS_ppoll
#endif
#ifndef SYS_epoll_wait
#define SYS_epoll_wait SYS_epoll_pwait
#endif
#ifndef SYS_pause
#define SYS_pause SYS_ppoll
#endif

#endif

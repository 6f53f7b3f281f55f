/* The exported names; the logic is elsewhere.  Serves signal_hiding.h. */
#include <stdarg.h>

#include "collectors/signal_hiding/signal_hiding.h"
#include "collectors/signal_hiding/hiding_calls.h"
#include "collectors/wrap.h"

/* Some have no prototype in the C library's headers. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define WRAP(type, name, parameters, arguments)                                                    \
	WRAP_EXPORT type name parameters                                                           \
	{                                                                                          \
		return hiding_##name arguments;                                                    \
	}
#define ALIAS(type, other, name, parameters, arguments)                                            \
	WRAP_EXPORT type other parameters                                                          \
	{                                                                                          \
		return hiding_##name arguments;                                                    \
	}
#include "collectors/signal_hiding/signal_hiding.def"

WRAP_SYSCALL(hiding_system_call)

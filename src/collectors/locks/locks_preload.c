/* The names that programs call; what is behind them is chosen in locks_real.c. */
#include "collectors/locks/locks.h"
#include "collectors/wrap.h"

#define PLAIN(group, name, parameters, arguments)                                                  \
	WRAP_EXPORT int name parameters                                                            \
	{                                                                                          \
		return __atomic_load_n(&locks_used.name, __ATOMIC_RELAXED) arguments;              \
	}
#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct)                         \
	PLAIN(group, name, parameters, arguments)
#include "collectors/locks/locks.def"

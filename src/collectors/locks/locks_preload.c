/* The exported names; their targets are selected in locks_used.c.  Serves locks.h. */
#include "collectors/locks/locks.h"
#include "collectors/locks/locks_free.h"
#include "collectors/locks/locks_used.h"
#include "collectors/wrap.h"

#define CALL(table, name, arguments) __atomic_load_n(&(table).name, __ATOMIC_RELAXED) arguments

#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct)                         \
	WRAP_EXPORT int name parameters                                                            \
	{                                                                                          \
		if (LOCKS_IS_FREE(object))                                                         \
			return CALL(locks_used_free, name, arguments);                             \
		return CALL(locks_used, name, arguments);                                          \
	}
#define PLAIN(group, name, parameters, arguments)                                                  \
	WRAP_EXPORT int name parameters                                                            \
	{                                                                                          \
		return CALL(locks_used, name, arguments);                                          \
	}
#include "collectors/locks/locks.def"

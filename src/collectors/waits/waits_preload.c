/* The exported names; the logic is in waits.c.  Serves waits.h. */
#include "collectors/waits/waits.h"
#include "collectors/wrap.h"

#define WAIT(group, name, parameters, arguments, object)                                           \
	WRAP_EXPORT int name parameters                                                            \
	{                                                                                          \
		return waits_##name arguments;                                                     \
	}
#define WAIT_TRIED(group, name, parameters, arguments, object, valid)                              \
	WAIT(group, name, parameters, arguments, object)
#include "collectors/waits/waits.def"

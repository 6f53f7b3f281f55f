/* The names that programs call; the logic is elsewhere. */
#include <stdarg.h>

#include "collectors/shield/shield.h"
#include "collectors/wrap.h"

/* Some have no prototype in the C library's headers. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define WRAP(type, name, parameters, arguments)                                                    \
	WRAP_EXPORT type name parameters                                                           \
	{                                                                                          \
		return shield_##name arguments;                                                    \
	}
#define ALIAS(type, other, name, parameters, arguments)                                            \
	WRAP_EXPORT type other parameters                                                          \
	{                                                                                          \
		return shield_##name arguments;                                                    \
	}
#include "collectors/shield/shield.def"

/* Six arguments are passed on, whatever the call takes: the rest is not looked at. */
WRAP_EXPORT long syscall(long number, ...)
{
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	return shield_system_call(number, arguments);
}

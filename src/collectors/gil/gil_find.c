/* Finding the GIL: retried each time twice as many conditions were signalled as at the previous
 * attempt, because the interpreter creates it some time after the program has begun. */

#include "collectors/gil/gil_find.h"

#include "base/keeperrno.h"
#include "pystack/pyruntime.h"
#include "pystack/pyruntime_self.h"
#include "pystack/pystack.h"

struct gil_conditions gil_conditions;

static struct pyruntime runtime;
static bool is_possible; /* runtime is that of a Python */
static uint32_t signals;

void gil_find_begin(void)
{
	const char *reason;

	is_possible = pyruntime_find(&runtime, &reason);
}

void gil_find(void)
{
	uint32_t count = __atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
	static const struct pymemory own;
	struct pygil found;
	KEEP_ERRNO();

	if (!is_possible || (count & (count - 1)) != 0)
		return;
	if (pyruntime_is_ready(&runtime, NULL) && pygil_read(&runtime, &own, 0, &found) &&
	    found.condition && found.switch_condition) {
		__atomic_store_n(&gil_conditions.dropped, (uintptr_t)found.condition,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&gil_conditions.taken, (uintptr_t)found.switch_condition,
				 __ATOMIC_RELEASE);
	}
}

/* Kymo as a tool of sys.monitoring: its id, its callbacks and the events it asks for.
 * Context: init, with the GIL held. */
#ifndef KYMO_MONITORINGTOOL_H
#define KYMO_MONITORINGTOOL_H

#include "compat.h"

#include <stdbool.h>

#if PY_VERSION_HEX >= 0x030c0000

struct monitoring_binding {
	const char *event;   /* a name in sys.monitoring.events */
	vectorcallfunc call; /* NULL = the event is not requested */
	bool is_part;	     /* comes with another event; its own bit must not be set */
};

/* Claim a tool id, register the callbacks and request their events for all code.  bindings ends
 * with an entry without an event and must stay valid until the stop.  0, or -1 with an exception.
 */
int monitoringtool_start(const struct monitoring_binding *bindings);
/* The current exception is kept. */
void monitoringtool_stop(void);
/* Decisions were renewed: enable the locations disabled by old ones; this affects all tools.  0, or
 * -1 with an exception. */
int monitoringtool_renew(void);

/* Its bit in the interpreter's sets of tools; 0 while it is not started. */
unsigned monitoringtool_bit(void);
/* The value by which a callback disables its location; a new reference. */
PyObject *monitoringtool_disable(void);

#endif

#endif

/* Kymo as a tool of sys.monitoring: its id, its callbacks and the events it asks for.
 * Context: init, with the GIL held. */
#ifndef KYMO_MONITORINGTOOL_H
#define KYMO_MONITORINGTOOL_H

#include "compat.h"

#include <stdbool.h>

#if PY_VERSION_HEX >= 0x030c0000

struct monitoring_binding {
	const char *event;   /* as sys.monitoring.events has it */
	vectorcallfunc call; /* NULL = the event is not asked for */
	bool is_part;	     /* comes with another event and has no bit of its own */
};

/* Claim a tool id, register the callbacks and ask for their events, of all code.  bindings is
 * closed by one without an event, and stays the caller's until the stop.  0, or -1 with an
 * exception. */
int monitoringtool_start(const struct monitoring_binding *bindings);
/* The current exception is kept. */
void monitoringtool_stop(void);
/* Decisions were renewed: what was disabled for others asks again, of all tools. */
int monitoringtool_renew(void);

/* While it is started: its bit among the tools of an event; else 0. */
unsigned monitoringtool_bit(void);
/* What a callback answers that is not to be called for its location again; a new reference. */
PyObject *monitoringtool_disable(void);

#endif

#endif

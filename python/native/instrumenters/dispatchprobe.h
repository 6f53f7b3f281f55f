/* Whether functions of the interpreter dispatch events as they are known to: a few calls are made
 * whose events are known, while whatever comes through is looked at and handed on.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCHPROBE_H
#define KYMO_DISPATCHPROBE_H

#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

#include "instrumenters/monitoringtool.h"

/* What the monitoring tool asks for while the calls are made. */
extern const struct monitoring_binding dispatchprobe_bindings[];
/* To be called in place of the interpreter's functions meanwhile. */
extern const dispatch_fn dispatchprobe_functions[DISPATCH_FUNCTIONS];

/* The calls that will be made; NULL with an exception.  One at a time. */
struct dispatch_probe *dispatchprobe_new(void);
void dispatchprobe_free(struct dispatch_probe *probe);
/* Make them; false: the program came in between.  No exception is left. */
bool dispatchprobe_call(struct dispatch_probe *probe);
/* Of a function in whose one call there are events of each function. */
bool dispatchprobe_has_all(const PyObject *code);

/* Make them.  original does what the interpreter's functions do; NULL = its events are not looked
 * at.  True: each event came through the right one, with the arguments that it has. */
bool dispatchprobe_is_right(struct dispatch_probe *probe,
			    const dispatch_fn original[DISPATCH_FUNCTIONS]);

#endif

#endif

/* Tests that functions of the interpreter dispatch events as expected: makes a few calls whose
 * events are known, and checks and passes on all that these functions are called with. Context:
 * init, with the GIL held. */
#ifndef KYMO_DISPATCHPROBE_H
#define KYMO_DISPATCHPROBE_H

#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

#include "instrumenters/monitoringtool.h"

/* The events of the monitoring tool while the calls are made. */
extern const struct monitoring_binding dispatchprobe_bindings[];
/* Targets for the interpreter's functions at that time. */
extern const dispatch_fn dispatchprobe_functions[DISPATCH_FUNCTIONS];

/* The calls that will be made; NULL with an exception.  One at a time. */
struct dispatch_probe *dispatchprobe_new(void);
void dispatchprobe_free(struct dispatch_probe *probe);
/* Make them; false: a result was not the expected one.  No exception is left. */
bool dispatchprobe_call(struct dispatch_probe *probe);
/* True for the code whose call has events of each function. */
bool dispatchprobe_has_all(const PyObject *code);

/* Make them.  original: the interpreter's functions; NULL = not taken over.  True: each event came
 * through the right one, with the expected arguments. */
bool dispatchprobe_is_right(struct dispatch_probe *probe,
			    const dispatch_fn original[DISPATCH_FUNCTIONS]);

#endif

#endif

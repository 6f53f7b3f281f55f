/* Whether functions of the interpreter dispatch events as they are known to: a few calls are made
 * whose events are known, while whatever comes through is looked at and handed on.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCHPROBE_H
#define KYMO_DISPATCHPROBE_H

#include "instrumenters/dispatchfunctions.h"

#if PY_VERSION_HEX >= 0x030c0000

/* What a function of the interpreter that dispatches an event is called with; the last two are an
 * event's arguments or nothing.  0, or -1 with an exception. */
typedef int (*dispatch_fn)(PyThreadState *state, int event, eval_frame *frame, _Py_CODEUNIT *at,
			   PyObject *first, PyObject *second);

/* Call these in place of the interpreter's, each of which original does the work of. */
extern const dispatch_fn dispatchprobe_functions[DISPATCH_FUNCTIONS];

/* The calls that will be made; NULL with an exception. */
struct dispatch_probe *dispatchprobe_new(void);
void dispatchprobe_free(struct dispatch_probe *probe);
/* Make them; false: the program came in between.  No exception is left. */
bool dispatchprobe_call(struct dispatch_probe *probe);
/* Of them. */
bool dispatchprobe_has_code(const PyObject *code);
/* Make them while the monitoring tool is started and the functions are called.  True: each event
 * came through the right one, with the arguments that it has.  No exception is left. */
bool dispatchprobe_is_right(struct dispatch_probe *probe,
			    const dispatch_fn original[DISPATCH_FUNCTIONS]);

#endif

#endif

/* Frames from 3.11 on: _PyInterpreterFrames, in pieces of the thread's own memory.  Context:
 * any. */
#ifndef KYMO_PYWALK_INTERPRETER_H
#define KYMO_PYWALK_INTERPRETER_H

#include "pystack/pystack.h"

struct pywalk;

/* The frames of walk->thread into walk->frames, from walk->count on, by its reader. */
enum pystack_status pywalk_interpreter(struct pywalk *walk);

#endif

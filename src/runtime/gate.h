/* Switching the recording of this process off and on from inside of it. */
#ifndef KYMO_GATE_H
#define KYMO_GATE_H

#include <stdbool.h>

/* Record nothing from now on, or record again; false when there is no recording.  Threads
 * follow at their next event.  Context: thread. */
bool gate_switch(bool is_on);

#endif

/* The switches of all modules.  Context: any, but one at a time. */
#ifndef KYMO_FUNCPATCH_SWITCH_H
#define KYMO_FUNCPATCH_SWITCH_H

#include <stdbool.h>

/* Set all switches, also for modules loaded later. */
void funcpatch_switch(bool is_off);
bool funcpatch_is_switched_off(void);

#endif

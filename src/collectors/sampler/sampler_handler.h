/* The signal handler: what the interrupted thread was doing, as one record. */
#ifndef KYMO_SAMPLER_HANDLER_H
#define KYMO_SAMPLER_HANDLER_H

#include <stdbool.h>

/* Install the handler for the kinds that are on; false: a signal is not available.  Context:
 * init. */
bool sampler_handler_install(void);

#endif

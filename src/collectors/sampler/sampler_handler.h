/* The signal handler: what the interrupted thread was doing, as one record. */
#ifndef KYMO_SAMPLER_HANDLER_H
#define KYMO_SAMPLER_HANDLER_H

#include <stdbool.h>

/* The handler for the kinds that are on; false: a signal cannot be had.
 * Context: init. */
bool sampler_handler_install(void);

#endif

/* Metrics besides the wall clock: selected once, read at every enter and leave of a node. */
#ifndef KYMO_METRICREAD_H
#define KYMO_METRICREAD_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/runtime.h"

struct kymo_node;
struct kymo_thread;

/* Metrics of the nodes from the setting; returns the number of blocks. */
uint32_t metrics_select(const char *components, uint32_t *metrics, char *unknown, size_t size);
KYMO_EXPORT void kymo_callpath_metrics_enter(struct kymo_thread *thread, struct kymo_node *node);
KYMO_EXPORT void kymo_callpath_metrics_exit(struct kymo_thread *thread, struct kymo_node *node);

#endif

/* One sample of all threads. */
#ifndef KYMO_WATCH_OBSERVE_H
#define KYMO_WATCH_OBSERVE_H

#include <stdint.h>

#include "attach/sample/watch.h"

/* Observe all threads, now. */
enum watch_state watch_observe(struct watch *watch, uint64_t now_ns, const struct watch_sink *sink);

#endif

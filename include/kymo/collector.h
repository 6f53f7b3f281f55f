/* Write a collector: a source of regions, series or notes in a recorded process.
 *
 *	#include <kymo/collector.h>
 *
 * Open the runtime once with kymo_runtime_open(), intern each region once with
 * kymo_region_intern(), then call kymo_enter() and kymo_leave() with its id around every visit.
 * The runtime owns what it returns; every function states the context in which it may be called.
 * Check kymo_runtime_abi() == KYMO_RUNTIME_ABI before anything else: the hot path is inlined and
 * shares structures with libkymo.so. */
#ifndef KYMO_COLLECTOR_H
#define KYMO_COLLECTOR_H

#ifdef __cplusplus
#define _Static_assert static_assert
extern "C" {
#endif

#include "runtime/hot.h"

#ifdef __cplusplus
}
#undef _Static_assert
#endif

#endif

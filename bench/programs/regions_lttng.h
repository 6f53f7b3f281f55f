/* The tracepoints that regions.c compares with. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER kymo_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./regions_lttng.h"

#if !defined(REGIONS_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define REGIONS_LTTNG_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(kymo_bench, begin, LTTNG_UST_TP_ARGS(int, region),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, region, region)))
LTTNG_UST_TRACEPOINT_EVENT(kymo_bench, end, LTTNG_UST_TP_ARGS(int, region),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, region, region)))

#endif

#include <lttng/tracepoint-event.h>

/* Properties of the processor that are determined at run time; implemented in each processor's
 * folder.  Context: any. */
#ifndef KYMO_PROCESSOR_DETECT_H
#define KYMO_PROCESSOR_DETECT_H

#include <stdint.h>

#include "base/clock_pair.h"

/* The kind of the processor's counter, or KYMO_CLOCK_MONOTONIC if it is not suitable. */
enum kymo_clock_kind processor_clock(void);

/* Valgrind's result of a client request; 0 outside of it.  Instructions without effect, which it
 * recognises by their order (its manual, "the client request mechanism"). */
uint64_t processor_request_valgrind(const volatile uint64_t *question);

#endif

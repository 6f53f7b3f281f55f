/* What is asked of the processor while the program runs; the folder of each answers.
 * Context: any. */
#ifndef KYMO_PROCESSOR_ASKED_H
#define KYMO_PROCESSOR_ASKED_H

#include <stdint.h>

#include "base/clock_pair.h"

/* The kind of the processor's counter, or KYMO_CLOCK_MONOTONIC when it cannot serve. */
enum kymo_clock_kind processor_clock(void);

/* What Valgrind says to a question; 0 outside of it.  Instructions that change nothing, which it
 * knows by their order (its manual, "the client request mechanism"). */
uint64_t processor_ask_valgrind(const volatile uint64_t *question);

#endif

/* For how long others had the processor: known to the calls that are timed, so that it is left out
 * of their times.
 *
 * The kernel tells how often a thread was switched and what it ran; the clock goes on meanwhile.
 * Both are asked for now and then, where calls are timed that took so long that they may have been
 * switched.  What lies between two looks with a switch that the thread did not ask for, and none
 * that it did, is what it stood ready for without a processor.
 *
 * A thread's own memory.  Context: hook; looking makes system calls. */
#ifndef KYMO_FUNCPATCH_SWITCHED_H
#define KYMO_FUNCPATCH_SWITCHED_H

#include <stdint.h>

struct switched { /* of a thread; zero at first */
	uint64_t ticks, wall_ns,
		used_ns;	    /* of the latest look: when, and what it had run until then */
	uint64_t voluntary, forced; /* switches until then */
	uint64_t off_ticks;	    /* made: all that is known of */
};

void switched_look(struct switched *switched);

#endif

/* System calls that end early when a tracer stops the thread (stoppedcall.h, and some that may
 * have done a part), and what that means for those who wait in them.  Context: any. */
#ifndef KYMO_FUNCPATCH_WAITING_H
#define KYMO_FUNCPATCH_WAITING_H

#include <stdbool.h>
#include <stdint.h>

enum waiting {
	WAITING_FREE = 0,    /* nothing is changed */
	WAITING_LIMIT = 1,   /* made again, it would wait longer than was asked for */
	WAITING_FRAGILE = 2, /* it cannot be made again */
};

/* The worst of what the threads of this process wait in, but for except, as far as it can be
 * told while they run. */
enum waiting waiting_worst(int32_t except);

#endif

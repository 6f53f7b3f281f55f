/* System calls that end early when a tracer stops the thread (stoppedcall.h, and some that may
 * be partly done), and what that means for threads that wait in them.  Context: any. */
#ifndef KYMO_FUNCPATCH_WAITING_H
#define KYMO_FUNCPATCH_WAITING_H

#include <stdbool.h>
#include <stdint.h>

enum waiting {
	WAITING_FREE = 0,    /* nothing is changed */
	WAITING_LIMIT = 1,   /* restarted, it would wait longer than requested */
	WAITING_FRAGILE = 2, /* it cannot be restarted */
};

/* The worst case of what the threads of this process wait in, without except, as far as it can
 * be determined while they run. */
enum waiting waiting_worst(int32_t except);

#endif

/* The machine code of the thread that is created in another process, and the memory words through
 * which it receives commands. */
#ifndef KYMO_AGENTCODE_H
#define KYMO_AGENTCODE_H

#include <stddef.h>
#include <stdint.h>

enum agent_command {
	AGENT_IDLE = 0, /* it looks again soon */
	AGENT_CALL = 1, /* call function */
	AGENT_END = 2,	/* give back the memory and end */
};

struct agent_words {	 /* the offsets are in the code, too */
	uint64_t create; /* pthread_create() */
	uint64_t unmap;	 /* munmap() */
	uint64_t base, size;
	uint64_t thread;      /* its pthread_t */
	uint32_t maker_lives; /* the kernel clears it */
	int32_t created;      /* what pthread_create() said; -1 = nothing so far */
	uint32_t id;	      /* its own, as the process knows it; 0 = it does not run yet */
	uint32_t command;     /* enum agent_command; the agent takes back AGENT_CALL */
	uint64_t function;
	uint64_t arguments[4];
	int64_t result;
	uint64_t patience;	   /* looks without a command, then it ends by itself */
	int64_t pause_s, pause_ns; /* from one look to the next */
};

/* Its first instruction makes a system call: clone().  A thread that begins behind it, with
 * the address of the words in the register that borrow_call.extra sets, makes the agent with
 * the C library's own means and ends. */
extern const unsigned char agentcode_start[], agentcode_end[];

#endif

/* The machine code of the thread that is created in another process, and the memory words through
 * which it receives commands. */
#ifndef KYMO_AGENTCODE_H
#define KYMO_AGENTCODE_H

#include <stddef.h>
#include <stdint.h>

enum agent_command {
	AGENT_IDLE = 0, /* it polls again soon */
	AGENT_CALL = 1, /* call function */
	AGENT_END = 2,	/* unmap the memory and end */
};

struct agent_words {	 /* the offsets are in the code, too */
	uint64_t create; /* pthread_create() */
	uint64_t unmap;	 /* munmap() */
	uint64_t base, size;
	uint64_t thread;      /* its pthread_t */
	uint32_t maker_lives; /* the kernel clears it */
	int32_t created;      /* result of pthread_create(); -1 = none so far */
	uint32_t id;	      /* thread id in the process's namespace; 0 = it does not run yet */
	uint32_t command;     /* enum agent_command; the agent resets AGENT_CALL */
	uint64_t function;
	uint64_t arguments[4];
	int64_t result;
	uint64_t patience;	   /* polls without a command after which it ends by itself */
	int64_t pause_s, pause_ns; /* polling interval */
};

/* Its first instruction is a system call: clone().  A thread that begins after it, with the address
 * of the words in the register that borrow_call.extra sets, creates the agent by the C library's
 * own functions and ends. */
extern const unsigned char agentcode_start[], agentcode_end[];

#endif

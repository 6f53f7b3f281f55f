/* Processors whose threads are not stopped. */
#include "collectors/functions/threads/funcpatch_stop.h"

const unsigned funcpatch_frame_sp_word = 0;

bool funcpatch_registers_read(struct funcpatch_stopped *thread, struct funcpatch_call *call_out)
{
	(void)thread;
	(void)call_out;
	return false;
}

bool funcpatch_registers_set_pc(int32_t id, uint64_t pc)
{
	(void)id;
	(void)pc;
	return false;
}

bool funcpatch_registers_repeat(int32_t id)
{
	(void)id;
	return false;
}

long funcpatch_process_make(int (*function)(void *), void *top)
{
	(void)function;
	(void)top;
	return -1;
}

/* Processors whose registers are not read: no thread is stopped there, and stacks have no native
 * frames. */
#include "platform/threads/threadregs.h"

const unsigned threadregs_frame_sp_word = 0;

bool threadregs_read(int32_t id, struct threadregs *registers_out)
{
	(void)id, (void)registers_out;
	return false;
}

bool threadregs_set_pc(int32_t id, uint64_t pc)
{
	(void)id, (void)pc;
	return false;
}

int64_t threadregs_ended_call(int32_t id)
{
	(void)id;
	return -1;
}

bool threadregs_repeat_call(int32_t id)
{
	(void)id;
	return false;
}

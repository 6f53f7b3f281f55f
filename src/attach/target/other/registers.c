/* Processors whose registers are not read: stacks stay without native frames. */
#include "attach/target/registers.h"

bool registers_read(pid_t thread, struct unwind_registers *out)
{
	(void)thread;
	(void)out;
	return false;
}

bool registers_set_pc(pid_t thread, uint64_t pc)
{
	(void)thread, (void)pc;
	return false;
}

bool registers_was_interrupted(pid_t thread, uint32_t *call_out)
{
	(void)thread, (void)call_out;
	return false;
}

bool registers_repeat_call(pid_t thread)
{
	(void)thread;
	return false;
}

bool registers_in_call(pid_t thread)
{
	(void)thread;
	return false;
}

bool registers_step(pid_t thread, struct unwind_registers *out)
{
	(void)thread, (void)out;
	return false;
}

/* Processors whose registers are not read: stacks stay without native frames. */
#include "attach/registers.h"

bool registers_read(pid_t thread, struct unwind_registers *out)
{
	(void)thread;
	(void)out;
	return false;
}

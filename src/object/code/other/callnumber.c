/* Processors that keep the number in a register, or are not supported. */
#include "object/code/callnumber.h"

uint32_t callnumber_find(const void *context, uint64_t at, const struct unwind_stack *stack)
{
	(void)context, (void)at, (void)stack;
	return CALLNUMBER_UNKNOWN;
}

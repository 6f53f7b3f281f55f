/* Processors without borrowed threads. */
#include "attach/agent/borrow.h"

size_t borrow_find_syscall(const unsigned char *code, size_t size)
{
	(void)code;
	return size;
}

bool borrow_begin(struct borrowed *borrowed, pid_t id, uint64_t syscall_insn)
{
	(void)borrowed, (void)id, (void)syscall_insn;
	return false;
}

bool borrow_call(struct borrowed *borrowed, const struct borrow_call *call, int64_t *result_out)
{
	(void)borrowed, (void)call, (void)result_out;
	return false;
}

bool borrow_end(struct borrowed *borrowed)
{
	(void)borrowed;
	return false;
}

uint64_t borrow_pc(const struct borrowed *borrowed)
{
	(void)borrowed;
	return 0;
}

uint64_t borrow_thread_pointer(const struct borrowed *borrowed)
{
	(void)borrowed;
	return 0;
}

long borrow_system_call(const struct borrowed *borrowed)
{
	(void)borrowed;
	return -1;
}

/* /proc/self/mem, tested before use: a kernel may refuse forced writes (proc_mem.force_override), a
 * seccomp filter may refuse pwrite(), and an emulator does not notice that code it has translated
 * changed. */
#include "platform/code/codememory.h"

#include <stdbool.h>

#include "platform/code/rawmemory.h"

#define ATTEMPTS_MAX 1000u

enum { UNKNOWN, TRYING, WORKS, DECEIVES };

int memory_sample(void);
extern unsigned char memory_sample_value[] __attribute__((visibility("hidden")));

/* A function that returns the value of one of its bytes. */
__asm__(".pushsection .text.memory_sample, \"ax\", @progbits\n"
	".balign 16\n"
	".hidden memory_sample\n"
	".globl memory_sample\n"
	".type memory_sample, @function\n"
	".hidden memory_sample_value\n"
	".globl memory_sample_value\n"
	"memory_sample:\n"
	".cfi_startproc\n" CODE_SAMPLE_OPCODE "memory_sample_value:\n" CODE_SAMPLE_VALUE
	"	ret\n"
	".cfi_endproc\n"
	".size memory_sample, . - memory_sample\n"
	".popsection");

long memory_open(void)
{
	return raw_call6(SYS_openat, AT_FDCWD, (long)"/proc/self/mem", O_RDWR | O_CLOEXEC, 0, 0, 0);
}

int memory_put(long memory, uint64_t at, const void *bytes, size_t size)
{
	long written = raw_call6(SYS_pwrite64, memory, (long)bytes, (long)size, (long)at, 0, 0);

	if (written < 0)
		return (int)-written;
	raw_flush(at, size);
	return written == (long)size ? 0 : EIO;
}

int memory_poke(uint64_t at, const void *bytes, size_t size)
{
	long memory = memory_open();
	int result;

	if (memory < 0)
		return (int)-memory;
	result = memory_put(memory, at, bytes, size);
	raw_call(SYS_close, memory, 0, 0);
	return result;
}

static int try_sample(void)
{
	const unsigned char first = CODE_SAMPLE_FIRST, other = CODE_SAMPLE_OTHER;
	uint64_t at = (uint64_t)(uintptr_t)memory_sample_value;
	int before = memory_sample(); /* an emulator has translated it now */
	int result = memory_poke(at, &other, 1);
	int after = memory_sample();

	if (result == 0)
		result = memory_poke(at, &first, 1);
	if (result == 0 && (before != 1 || after != 2 || memory_sample() != 1))
		result = ENOTSUP;
	return result;
}

/* What is known.  UNKNOWN: the caller has to test it, alone, since others would see the test's
 * writes. TRYING: another thread has been testing it for long; it may not exist any more, as in a
 * forked child. */
static int memory_claim_test(int *known)
{
	int before = TRYING;

	for (unsigned i = 0; i < ATTEMPTS_MAX && before == TRYING; i++) {
		before = UNKNOWN;
		if (!__atomic_compare_exchange_n(known, &before, TRYING, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_ACQUIRE) &&
		    before == TRYING)
			raw_call(SYS_sched_yield, 0, 0, 0);
	}
	return before;
}

/* A failure to open the file may be temporary: too many may be open. */
int memory_learn(void)
{
	static int known = UNKNOWN;
	int result;

	switch (memory_claim_test(&known)) {
	case WORKS:
		return 0;
	case DECEIVES:
		return ENOTSUP;
	case TRYING:
		return EAGAIN;
	default:
		result = try_sample();
		__atomic_store_n(&known,
				 result == 0	     ? WORKS
				 : result == ENOTSUP ? DECEIVES
						     : UNKNOWN,
				 __ATOMIC_RELEASE);
		return result;
	}
}

/* Scratch buffers for stacks that are being sampled: a bit for each that is in use. */
#include "collectors/sampler/sampler_scratch.h"

#include "base/pages.h"

#define BUFFERS 64u

static struct sampler_scratch *buffers;
static uint64_t taken; /* atomic */

bool sampler_scratch_init(void)
{
	buffers = pages_new(BUFFERS * sizeof(*buffers));
	return buffers != NULL;
}

void sampler_scratch_forked(void)
{
	taken = 0;
}

struct sampler_scratch *sampler_scratch_get(void)
{
	uint64_t bits = __atomic_load_n(&taken, __ATOMIC_RELAXED);

	while (~bits) {
		unsigned bit = (unsigned)__builtin_ctzll(~bits);

		if (__atomic_compare_exchange_n(&taken, &bits, bits | UINT64_C(1) << bit, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &buffers[bit];
	}
	return NULL;
}

void sampler_scratch_put(struct sampler_scratch *scratch)
{
	__atomic_and_fetch(&taken, ~(UINT64_C(1) << (scratch - buffers)), __ATOMIC_RELEASE);
}

/* Differences of one thread's clock: if another thread continues, which its clock cannot show,
 * nothing is counted. */
#include "runtime/lifecycle/owncost.h"

#include "platform/usage.h"
#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"
#include "runtime/store/store.h"

static uint64_t early_ns;  /* before the runtime was opened */
static uint64_t opened_ns; /* usage_own_ns() */
static uint64_t ending_ns; /* likewise; 0 = not ending */

void kymo_cost_early(uint64_t cpu_ns)
{
	early_ns += cpu_ns;
}

void owncost_open(uint64_t began_ns)
{
	uint64_t now_ns = usage_own_ns();

	if (began_ns > 0 && began_ns < now_ns)
		early_ns += now_ns - began_ns;
	opened_ns = now_ns;
	ending_ns = 0;
}

uint64_t owncost_before_ns(void)
{
	return early_ns;
}

void owncost_ready(void)
{
	uint64_t now_ns = usage_own_ns(), took_ns = now_ns > opened_ns ? now_ns - opened_ns : 0;

	store.header->startup_cpu_ns = took_ns + early_ns;
	early_ns = 0;
}

void kymo_cost_beside(uint64_t cpu_ns)
{
	if (store.header)
		__atomic_add_fetch(&store.header->beside_cpu_ns, cpu_ns, __ATOMIC_RELAXED);
}

void kymo_coarse_late(uint64_t step_ns)
{
	if (store.header)
		__atomic_add_fetch(&store.header->coarse_late_ns, step_ns, __ATOMIC_RELAXED);
}

void owncost_end(void)
{
	if (ending_ns == 0 && !session.is_restricted)
		ending_ns = usage_own_ns();
}

void kymo_cost_ending(void)
{
	if (session.state == KYMO_RUNTIME_ACTIVE)
		owncost_end();
}

void owncost_close(void)
{
	uint64_t now_ns;

	if (ending_ns == 0 || session.is_restricted)
		return;
	now_ns = usage_own_ns();
	if (now_ns > ending_ns)
		store.header->closing_cpu_ns = now_ns - ending_ns;
	ending_ns = 0;
}

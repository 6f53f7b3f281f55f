/* Whether a call of the program may record. */
#include "runtime/user/usercall.h"

#include "runtime/hot.h"
#include "runtime/lifecycle/session.h"

struct kymo_thread *userapi_thread(int *result_out)
{
	struct kymo_thread *thread = kymo_thread();

	if (thread->record && session.state == KYMO_RUNTIME_ACTIVE)
		return thread;
	*result_out = KYMO_OFF;
	return NULL;
}

/* Regions of the program on its stack, with their values. */
#include "runtime/user/userenter.h"

#include "runtime/user/userevents.h"
#include "runtime/user/userstack.h"

int userapi_enter(struct kymo_thread *thread, uint32_t region, const struct user_words *values)
{
	bool is_entered;

	if (!region)
		return KYMO_INTERNAL;
	kymo_admits(thread);
	if (!user_acquire(thread))
		return KYMO_OFF;
	is_entered = user_push(thread, region, 0);
	if (is_entered && values)
		userevents_write(thread, values, kymo_now(thread));
	user_release(thread);
	return is_entered ? KYMO_SUCCESS : KYMO_OFF;
}

int userapi_leave(struct kymo_thread *thread, uint32_t region)
{
	if (!region)
		return KYMO_INTERNAL;
	switch (kymo_user_end(thread, region)) {
	case KYMO_USER_REORDERED:
		return KYMO_REORDERED;
	case KYMO_USER_NOT_OPEN:
		return KYMO_NOT_OPEN;
	case KYMO_USER_ENDED:
		break;
	}
	return KYMO_SUCCESS;
}

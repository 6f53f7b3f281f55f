/* Calls with values, as collectors record them: events in the trace only, because the calls are
 * already in the profile. */
#include "runtime/callvalues.h"

#include "runtime/store/eventlog.h"
#include "runtime/store/store.h"
#include "runtime/user/userevents.h"
#include "runtime/user/userstack.h"

void kymo_call_event(struct kymo_thread *thread, enum kymo_event_kind kind, uint32_t region,
		     const struct kymo_value *values, size_t count)
{
	struct user_words words;
	uint64_t now;

	if (!(session.mode & KYMO_MODE_TRACE) || !region ||
	    !userevents_prepare(&words, values, count) || !user_acquire(thread))
		return;
	now = kymo_now(thread);
	if (kind == KYMO_EVENT_EXTENDED)
		kymo_event_slow(thread, kind, KYMO_EXTENDED_INSTANT, now, region);
	else
		kymo_event_put(thread, kind, region, now);
	userevents_write(thread, &words, now);
	user_release(thread);
}

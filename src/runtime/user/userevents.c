/* Events at one point in time: instants, messages, progress points, and their values.  Instants,
 * messages and values are only in the trace; progress points are also counted in the tree, as
 * visits that take no time. */

#include "runtime/user/userevents.h"

#include "base/keeperrno.h"
#include "runtime/runtime.h"
#include "runtime/store/eventlog.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/user/usercall.h"
#include "runtime/user/usernames.h"
#include "runtime/user/userstack.h"

#define VALUE_TYPE_SHIFT 56

_Static_assert((int)KYMO_TYPE_TEXT == (int)KYMO_VALUE_TEXT &&
		       (int)KYMO_TYPE_POINTER == (int)KYMO_VALUE_POINTER,
	       "types of values have the same numbers in the header and in the format");

static bool userevents_is_value(const struct kymo_value *value)
{
	return value->name && value->type >= KYMO_TYPE_TEXT && value->type <= KYMO_TYPE_POINTER;
}

/* The lock is held. */
static void prepare_value(struct user_words *out, const struct kymo_value *value)
{
	uint64_t *words = &out->words[(size_t)2 * out->count];
	uint64_t type = value->type;

	words[0] = string_intern(value->name) | type << VALUE_TYPE_SHIFT;
	words[1] = value->as.natural;
	if (type == KYMO_TYPE_TEXT)
		words[1] = string_intern(value->as.text ? value->as.text : "");
	out->count++;
}

bool userevents_prepare(struct user_words *out, const struct kymo_value *values, size_t count)
{
	KEEP_ERRNO();

	out->count = 0;
	if (count > 0 && !values)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!userevents_is_value(&values[i]))
			return false;
	if (count > USER_VALUES_MAX)
		count = USER_VALUES_MAX;
	if (count == 0 || !(session.mode & KYMO_MODE_TRACE) || !session_ensure() || !store_lock())
		return true;
	for (size_t i = 0; i < count && store.header; i++)
		prepare_value(out, &values[i]);
	store_unlock();
	return true;
}

void userevents_write(struct kymo_thread *thread, const struct user_words *values, uint64_t now)
{
	for (unsigned i = 0; i < values->count; i++)
		eventlog_extended(thread, KYMO_EXTENDED_VALUE, now, &values->words[(size_t)2 * i]);
}

struct moment { /* of a thread between acquire and release */
	struct kymo_thread *thread;
	uint64_t now;
};

/* The calling thread, ready for an event of a region, and the time; else the error. */
static int userevents_take(uint32_t region, struct moment *out)
{
	int result = KYMO_INTERNAL;
	struct kymo_thread *thread = region ? userapi_thread(&result) : NULL;

	if (!thread)
		return result;
	if (session.hides_user || !kymo_admits(thread) || !user_acquire(thread))
		return KYMO_OFF;
	*out = (struct moment){thread, kymo_now(thread)};
	return KYMO_SUCCESS;
}

static int mark_instant(uint32_t region, const struct user_words *values)
{
	struct moment at;
	int result = userevents_take(region, &at);

	if (result != KYMO_SUCCESS)
		return result;
	if (session.mode & KYMO_MODE_TRACE) {
		kymo_event_slow(at.thread, KYMO_EVENT_EXTENDED, KYMO_EXTENDED_INSTANT, at.now,
				region);
		userevents_write(at.thread, values, at.now);
	}
	user_release(at.thread);
	return KYMO_SUCCESS;
}

/* The error if name has no region but needs one; otherwise KYMO_SUCCESS and the region. */
static int region_for(enum kymo_site_kind kind, const char *name, uint32_t *region_out)
{
	int result = KYMO_SUCCESS;

	*region_out = 0;
	if (!name || !name[0])
		return KYMO_BAD_VALUE;
	if (!userapi_thread(&result))
		return result;
	*region_out = username_region(kind, name, NULL);
	return *region_out ? KYMO_SUCCESS : KYMO_INTERNAL;
}

int userapi_instant(const char *name, const struct kymo_value *values, size_t count)
{
	struct user_words words;
	uint32_t region;
	int result = region_for(KYMO_SITE_INSTANT, name, &region);

	if (result == KYMO_SUCCESS && !userevents_prepare(&words, values, count))
		result = KYMO_BAD_VALUE;
	return result == KYMO_SUCCESS ? mark_instant(region, &words) : result;
}

static int message(enum kymo_event_extension extension, const char *name, uint64_t id)
{
	struct moment at;
	uint32_t region;
	int result = region_for(KYMO_SITE_INSTANT, name, &region);

	if (result == KYMO_SUCCESS)
		result = userevents_take(region, &at);
	if (result != KYMO_SUCCESS)
		return result;
	if (session.mode & KYMO_MODE_TRACE) {
		uint64_t words[2] = {region, id};

		eventlog_extended(at.thread, extension, at.now, words);
	}
	user_release(at.thread);
	return KYMO_SUCCESS;
}

int userapi_message_send(const char *name, uint64_t id)
{
	return message(KYMO_EXTENDED_SEND, name, id);
}

int userapi_message_receive(const char *name, uint64_t id)
{
	return message(KYMO_EXTENDED_RECEIVE, name, id);
}

/* A visit that ends when it begins: one reading of the clock for both. */
static void userevents_visit(struct kymo_thread *thread, uint32_t region, uint64_t now)
{
	struct kymo_node *node = kymo_node_at(thread, thread->current->cache);

	if (node->region != region)
		node = kymo_callpath_find(thread, region);
	if (!node) { /* folded: it was entered on the fold's own stack */
		kymo_callpath_exit_slow(thread, region, now);
		return;
	}
	node->count++;
	if (session.mode & KYMO_MODE_POSITIONS)
		return;
	node->enter = now;
	kymo_node_close(node, now);
}

static int userevents_pass(uint32_t region, const struct user_words *values)
{
	struct moment at;
	int result = userevents_take(region, &at);

	if (result != KYMO_SUCCESS)
		return result;
	if (session.mode & KYMO_MODE_PROFILE)
		userevents_visit(at.thread, region, at.now);
	if (session.mode & KYMO_MODE_TRACE) {
		kymo_event_put(at.thread, KYMO_EVENT_ENTER, region, at.now);
		userevents_write(at.thread, values, at.now);
		kymo_event_put(at.thread, KYMO_EVENT_LEAVE, region, at.now);
	}
	user_release(at.thread);
	return KYMO_SUCCESS;
}

static int progress(enum kymo_site_kind kind, const char *name, const struct kymo_value *values,
		    size_t count)
{
	struct user_words words;
	uint32_t region;
	int result = region_for(kind, name, &region);

	if (result == KYMO_SUCCESS && !userevents_prepare(&words, values, count))
		result = KYMO_BAD_VALUE;
	return result == KYMO_SUCCESS ? userevents_pass(region, &words) : result;
}

int userapi_progress(const char *name)
{
	return progress(KYMO_SITE_PROGRESS, name, NULL, 0);
}

int userapi_progress_with(const char *name, const struct kymo_value *values, size_t count)
{
	return progress(KYMO_SITE_PROGRESS, name, values, count);
}

int userapi_progress_begin(const char *name)
{
	return progress(KYMO_SITE_PROGRESS_BEGIN, name, NULL, 0);
}

int userapi_progress_end(const char *name)
{
	return progress(KYMO_SITE_PROGRESS_END, name, NULL, 0);
}

int userapi_site_mark(struct kymo_site *site)
{
	static const struct user_words none;
	int result;

	if (!site || !site->name)
		return KYMO_BAD_VALUE;
	if (!userapi_thread(&result))
		return result;
	if (site->kind == KYMO_SITE_INSTANT)
		return mark_instant(username_site(site), &none);
	return userevents_pass(username_site(site), &none);
}

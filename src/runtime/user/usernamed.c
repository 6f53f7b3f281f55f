/* Regions, phases and parameters by name. */
#include "runtime/user/usernamed.h"

#include "runtime/runtime.h"
#include "runtime/user/usercall.h"
#include "runtime/user/userenter.h"
#include "runtime/user/userevents.h"
#include "runtime/user/usernames.h"
#include "runtime/user/userstack.h"

static bool usernamed_is_name(const char *name)
{
	return name && name[0];
}

static int usernamed_begin(enum kymo_site_kind kind, const char *name,
			   const struct user_words *values)
{
	struct kymo_thread *thread;
	int result;

	if (!usernamed_is_name(name))
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	return thread ? userapi_enter(thread, username_recent(thread, kind, name), values) : result;
}

static int usernamed_end(enum kymo_site_kind kind, const char *name)
{
	struct kymo_thread *thread;
	int result;

	if (!usernamed_is_name(name))
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	return thread ? userapi_leave(thread, username_recent(thread, kind, name)) : result;
}

int userapi_region_begin(const char *name)
{
	return usernamed_begin(KYMO_SITE_REGION, name, NULL);
}

int userapi_region_end(const char *name)
{
	return usernamed_end(KYMO_SITE_REGION, name);
}

int userapi_region_begin_with(const char *name, const struct kymo_value *values, size_t count)
{
	struct user_words words;

	if (!userevents_prepare(&words, values, count))
		return KYMO_BAD_VALUE;
	return usernamed_begin(KYMO_SITE_REGION, name, &words);
}

/* The values follow the leave: if that was the innermost region, they belong to it. */
int userapi_region_end_with(const char *name, const struct kymo_value *values, size_t count)
{
	struct kymo_thread *thread = kymo_thread_current;
	struct user_words words;
	int result;

	if (!userevents_prepare(&words, values, count))
		return KYMO_BAD_VALUE;
	result = usernamed_end(KYMO_SITE_REGION, name);
	if (result == KYMO_SUCCESS && thread && kymo_admits(thread) && user_acquire(thread)) {
		userevents_write(thread, &words, kymo_now(thread));
		user_release(thread);
	}
	return result;
}

int userapi_phase_begin(const char *name)
{
	return usernamed_begin(KYMO_SITE_PHASE, name, NULL);
}

int userapi_phase_end(const char *name)
{
	return usernamed_end(KYMO_SITE_PHASE, name);
}

static bool is_parameter(const struct kymo_value *value)
{
	if (!value || !usernamed_is_name(value->name))
		return false;
	return value->type == KYMO_TYPE_SIGNED || value->type == KYMO_TYPE_UNSIGNED ||
	       (value->type == KYMO_TYPE_TEXT && value->as.text);
}

/* How many parameters inside of the innermost region end when the parameter of this region gets
 * another value: it and those inside of it. */
static uint32_t replaced_count(const struct kymo_thread *thread, uint32_t region)
{
	for (uint32_t i = thread->user_count; i > 0 && thread->user[i - 1] & USER_PARAMETER; i--)
		if (username_is_same(thread->user[i - 1] & USER_REGION, region))
			return thread->user_count - i + 1;
	return 0;
}

int userapi_parameter(const struct kymo_value *value)
{
	struct kymo_thread *thread;
	uint32_t region, count;
	bool is_entered;
	int result;

	if (!is_parameter(value))
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	if (!thread)
		return result;
	region = username_parameter(value);
	if (!region)
		return KYMO_INTERNAL;
	kymo_admits(thread);
	if (!user_acquire(thread))
		return KYMO_OFF;
	for (count = replaced_count(thread, region); count > 0; count--)
		user_pop(thread);
	is_entered = user_push(thread, region, USER_PARAMETER);
	user_release(thread);
	return is_entered ? KYMO_SUCCESS : KYMO_OFF;
}

/* PAPI's functions by dlsym(3), with the constants of its interface (papi.h, versions 5 to 7,
 * which agree on what is used here). */
#include "platform/papi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define PAPI_OK		      0
#define PAPI_NULL	      (-1)
#define PAPI_PRESET_MASK      ((int)0x80000000)
#define PAPI_NATIVE_MASK      ((int)0x40000000)
#define PAPI_ENUM_EVENTS      0
#define PAPI_ENUM_FIRST	      1
#define PAPI_MAX_STR_LEN      128
#define PAPI_NAME_BYTES	      1024
#define PAPI_SHORT_BYTES      64
#define PAPI_INFO_BYTES	      (128u << 10) /* more than any version's PAPI_event_info_t */
#define PAPI_INFO_SYMBOL      sizeof(unsigned)
#define PAPI_INFO_TEXT	      (PAPI_INFO_SYMBOL + PAPI_NAME_BYTES + PAPI_SHORT_BYTES)
#define VERSION(major, minor) ((major) << 24 | (minor) << 16)

#define FUNCTIONS(X)                                                                               \
	X(library_init, int, (int))                                                                \
	X(thread_init, int, (unsigned long (*)(void)))                                             \
	X(multiplex_init, int, (void))                                                             \
	X(create_eventset, int, (int *))                                                           \
	X(assign_eventset_component, int, (int, int))                                              \
	X(set_multiplex, int, (int))                                                               \
	X(add_named_event, int, (int, const char *))                                               \
	X(start, int, (int))                                                                       \
	X(stop, int, (int, long long *))                                                           \
	X(read, int, (int, long long *))                                                           \
	X(cleanup_eventset, int, (int))                                                            \
	X(destroy_eventset, int, (int *))                                                          \
	X(event_name_to_code, int, (const char *, int *))                                          \
	X(enum_event, int, (int *, int))                                                           \
	X(enum_cmp_event, int, (int *, int, int))                                                  \
	X(query_event, int, (int))                                                                 \
	X(get_event_info, int, (int, void *))                                                      \
	X(num_components, int, (void))                                                             \
	X(strerror, char *, (int))

static struct {
#define MEMBER(name, result, parameters) result(*name) parameters;
	FUNCTIONS(MEMBER)
#undef MEMBER
} papi;

static enum { UNTRIED, THERE, MISSING } state;
static const char *missing_why;
static unsigned char info[PAPI_INFO_BYTES];

static void *open_library(void)
{
	static const char *const names[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
					    "libpapi.so.7",   "libpapi.so.6.0", "libpapi.so.6",
					    "libpapi.so",     "libpapi.so.5"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		if (library)
			return library;
	}
	return NULL;
}

static bool bind(void *library)
{
#define BIND(name, result, parameters)                                                             \
	papi.name = (__typeof__(papi.name))dlsym(library, "PAPI_" #name);                          \
	if (!papi.name)                                                                            \
		return false;
	FUNCTIONS(BIND)
#undef BIND
	return true;
}

/* It returns its version if that is the requested one. */
static bool initialise(void)
{
	for (int major = 7; major >= 5; major--)
		for (int minor = 9; minor >= 0; minor--)
			if (papi.library_init(VERSION(major, minor)) == VERSION(major, minor))
				return true;
	return false;
}

static unsigned long this_thread(void)
{
	return (unsigned long)pthread_self();
}

static const char *platform_papi_load(void)
{
	void *library = open_library();

	if (!library)
		return "there is no " PAPI_PACKAGE;
	if (!bind(library))
		return "libpapi.so lacks functions of versions 5 to 7";
	if (!initialise())
		return "libpapi.so cannot be initialised: its version is unknown, or it may not "
		       "count";
	if (papi.thread_init(this_thread) != PAPI_OK || papi.multiplex_init() != PAPI_OK)
		return "libpapi.so cannot count in threads";
	return NULL;
}

bool papi_load(const char **why_out)
{
	if (state == UNTRIED) {
		missing_why = platform_papi_load();
		state = missing_why ? MISSING : THERE;
	}
	*why_out = missing_why;
	return state == THERE;
}

/* "::NAME" is short for PAPI's perf component. */
static const char *full_name(const char *name, char *buffer, size_t size)
{
	if (strncmp(name, "::", 2) != 0)
		return name;
	snprintf(buffer, size, "perf%s", name);
	return buffer;
}

static void papi_discard(int set)
{
	papi.cleanup_eventset(set);
	papi.destroy_eventset(&set);
}

int papi_start(const char *const *names, unsigned count, bool is_multiplexed,
	       struct papi_failure *failure_out)
{
	int set = PAPI_NULL, result = papi.create_eventset(&set);
	char buffer[PAPI_MAX_STR_LEN];

	failure_out->event = 0;
	if (result == PAPI_OK && is_multiplexed) {
		papi.assign_eventset_component(set, 0);
		result = papi.set_multiplex(set);
	}
	for (unsigned i = 0; i < count && result == PAPI_OK; i++) {
		failure_out->event = i;
		result = papi.add_named_event(set, full_name(names[i], buffer, sizeof(buffer)));
	}
	if (result == PAPI_OK)
		result = papi.start(set);
	if (result == PAPI_OK)
		return set;
	failure_out->why = papi.strerror(result);
	if (set != PAPI_NULL)
		papi_discard(set);
	return -1;
}

bool papi_read(int set, long long *values)
{
	return papi.read(set, values) == PAPI_OK;
}

void papi_stop(int set)
{
	papi.stop(set, NULL);
	papi_discard(set);
}

bool papi_knows(const char *name)
{
	char buffer[PAPI_MAX_STR_LEN];
	int code;

	return papi.event_name_to_code(full_name(name, buffer, sizeof(buffer)), &code) == PAPI_OK;
}

/* PAPI also lists events that cannot be counted, for lack of counters or of rights: NULL = it
 * can. */
static const char *try_event(const char *name)
{
	struct papi_failure failure = {0, NULL};
	int set = papi_start(&name, 1, false, &failure);

	if (set < 0)
		return failure.why;
	papi_stop(set);
	return NULL;
}

static bool papi_report(int code, bool is_preset, bool (*found)(const struct papi_event *, void *),
			void *context)
{
	struct papi_event event = {.is_preset = is_preset};
	int result;

	memset(info, 0, sizeof(info));
	result = papi.get_event_info(code, info);
	if (result != PAPI_OK)
		return true;
	event.name = (const char *)info + PAPI_INFO_SYMBOL;
	event.text = (const char *)info + PAPI_INFO_TEXT;
	if (!event.name[0])
		return true;
	if (papi.query_event(code) != PAPI_OK)
		event.why = "this processor does not count it, or not as this preset needs it";
	else
		event.why = try_event(event.name);
	event.is_available = !event.why;
	return found(&event, context);
}

bool papi_each(bool (*found)(const struct papi_event *event, void *context), void *context)
{
	int code = PAPI_PRESET_MASK, components = papi.num_components();

	do {
		if (!papi_report(code, true, found, context))
			return false;
	} while (papi.enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
	for (int component = 0; component < components; component++) {
		code = PAPI_NATIVE_MASK;
		if (papi.enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK)
			continue;
		do {
			if (!papi_report(code, false, found, context))
				return false;
		} while (papi.enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
	}
	return true;
}

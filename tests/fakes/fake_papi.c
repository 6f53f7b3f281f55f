/* A fake libpapi.so: hardware counters that no machine of the tests has.
 *
 * The preset PAPI_TOT_CYC goes on by 1000 at each reading of a set, PAPI_L2_TCM by 10, the native
 * event fake::EVENT by 1; PAPI_VEC_DP is known and cannot be counted, and only two of them fit at
 * the same time without taking turns. */
#include <stdio.h>
#include <string.h>

#define OK	    0
#define EINVALID    (-1)
#define ENOEVENT    (-7)
#define ECONFLICT   (-8)
#define PRESET	    ((int)0x80000000)
#define NATIVE	    ((int)0x40000000)
#define SETS	    64
#define EVENTS	    8
#define FIT	    2
#define NAME_BYTES  1024
#define SHORT_BYTES 64

static const struct event {
	const char *name, *text;
	int code, step; /* step 0: cannot be counted */
} events[] = {
	{"PAPI_L2_TCM", "Level 2 cache misses", PRESET, 10},
	{"PAPI_TOT_CYC", "Total cycles", PRESET | 1, 1000},
	{"PAPI_VEC_DP", "Double precision vector instructions", PRESET | 2, 0},
	{"fake::EVENT", "An event of the fake", NATIVE, 1},
};
#define COUNT ((int)(sizeof(events) / sizeof(*events)))

static struct {
	int is_used, count, takes_turns;
	const struct event *of[EVENTS];
	long long values[EVENTS];
} sets[SETS];

static const struct event *by_code(int code)
{
	for (int i = 0; i < COUNT; i++)
		if (events[i].code == code)
			return &events[i];
	return NULL;
}

int PAPI_library_init(int version);
int PAPI_library_init(int version)
{
	return version == (7 << 24 | 1 << 16) ? version : EINVALID;
}

int PAPI_thread_init(unsigned long (*id)(void));
int PAPI_thread_init(unsigned long (*id)(void))
{
	return id() ? OK : EINVALID;
}

int PAPI_multiplex_init(void);
int PAPI_multiplex_init(void)
{
	return OK;
}

int PAPI_create_eventset(int *set);
int PAPI_create_eventset(int *set)
{
	for (int i = 0; i < SETS; i++) {
		if (__sync_lock_test_and_set(&sets[i].is_used, 1))
			continue;
		sets[i].count = sets[i].takes_turns = 0;
		*set = i;
		return OK;
	}
	return EINVALID;
}

int PAPI_assign_eventset_component(int set, int component);
int PAPI_assign_eventset_component(int set, int component)
{
	return set >= 0 && component == 0 ? OK : EINVALID;
}

int PAPI_set_multiplex(int set);
int PAPI_set_multiplex(int set)
{
	sets[set].takes_turns = 1;
	return OK;
}

int PAPI_event_name_to_code(const char *name, int *code);
int PAPI_event_name_to_code(const char *name, int *code)
{
	for (int i = 0; i < COUNT; i++) {
		if (strcmp(events[i].name, name) != 0)
			continue;
		*code = events[i].code;
		return OK;
	}
	return ENOEVENT;
}

int PAPI_add_named_event(int set, const char *name);
int PAPI_add_named_event(int set, const char *name)
{
	int code;

	if (PAPI_event_name_to_code(name, &code) != OK || by_code(code)->step == 0)
		return ENOEVENT;
	if (sets[set].count == FIT && !sets[set].takes_turns)
		return ECONFLICT;
	sets[set].values[sets[set].count] = 0;
	sets[set].of[sets[set].count++] = by_code(code);
	return OK;
}

int PAPI_start(int set);
int PAPI_start(int set)
{
	return sets[set].count > 0 ? OK : EINVALID;
}

int PAPI_read(int set, long long *values);
int PAPI_read(int set, long long *values)
{
	for (int i = 0; i < sets[set].count; i++)
		values[i] = sets[set].values[i] += sets[set].of[i]->step;
	return OK;
}

int PAPI_stop(int set, long long *values);
int PAPI_stop(int set, long long *values)
{
	return set >= 0 && !values ? OK : EINVALID;
}

int PAPI_cleanup_eventset(int set);
int PAPI_cleanup_eventset(int set)
{
	sets[set].count = 0;
	return OK;
}

int PAPI_destroy_eventset(int *set);
int PAPI_destroy_eventset(int *set)
{
	__sync_lock_release(&sets[*set].is_used);
	*set = -1;
	return OK;
}

/* Events of one kind follow one another. */
static int next(int *code)
{
	if (!by_code(*code + 1))
		return ENOEVENT;
	++*code;
	return OK;
}

int PAPI_enum_event(int *code, int modifier);
int PAPI_enum_event(int *code, int modifier)
{
	return modifier == 0 ? next(code) : EINVALID;
}

int PAPI_enum_cmp_event(int *code, int modifier, int component);
int PAPI_enum_cmp_event(int *code, int modifier, int component)
{
	if (component != 0)
		return EINVALID;
	if (modifier == 1) {
		*code = NATIVE;
		return OK;
	}
	return next(code);
}

int PAPI_query_event(int code);
int PAPI_query_event(int code)
{
	return by_code(code) && by_code(code)->step ? OK : ENOEVENT;
}

int PAPI_get_event_info(int code, void *info);
int PAPI_get_event_info(int code, void *info)
{
	const struct event *event = by_code(code);
	char *text = info;

	if (!event)
		return ENOEVENT;
	memcpy(text, &code, sizeof(code));
	snprintf(text + sizeof(code), NAME_BYTES, "%s", event->name);
	snprintf(text + sizeof(code) + NAME_BYTES + SHORT_BYTES, NAME_BYTES, "%s", event->text);
	return OK;
}

int PAPI_num_components(void);
int PAPI_num_components(void)
{
	return 1;
}

char *PAPI_strerror(int error);
char *PAPI_strerror(int error)
{
	static char text[][40] = {"Invalid argument", "Event does not exist",
				  "Event exists, but cannot be counted"};

	return error == ECONFLICT ? text[2] : error == ENOEVENT ? text[1] : text[0];
}

/* Behind <kymo/kymo.h>: what the files userapi_*.c share.  Each function of the table is one
 * of theirs; all return an enum kymo_result and keep errno.  Context: any, unless said. */
#ifndef KYMO_USERAPI_H
#define KYMO_USERAPI_H

#ifndef KYMO_DISABLE
#define KYMO_DISABLE 1 /* the runtime has no slot of its own */
#endif
#include "kymo/abi.h"
#include "runtime/runtime.h"

struct user_words;

/* The calling thread's state where events may be recorded, else NULL with the result that
 * says why not. */
struct kymo_thread *userapi_thread(int *result_out);
/* Enter a region of the calling thread, with the values that belong to it (NULL = none), and leave
 * one.  Region 0, where the recording had no room for it: KYMO_INTERNAL. */
int userapi_enter(struct kymo_thread *thread, uint32_t region, const struct user_words *values);
int userapi_leave(struct kymo_thread *thread, uint32_t region);

/* Names: usernames.c. */

/* The region of a kind and a name, wherever it is named; where it was named first is kept
 * with it (where may be NULL).  0 when the recording is full. */
uint32_t username_region(enum kymo_site_kind kind, const char *name, const struct kymo_site *where);
/* The same on the calling thread, which remembers what it named lately. */
uint32_t username_recent(struct kymo_thread *thread, enum kymo_site_kind kind, const char *name);
/* Release what the thread remembers. */
void username_release(struct kymo_thread *thread);
/* The region of a site, remembered in it. */
uint32_t username_site(struct kymo_site *site);
/* The region of a parameter with its value, and the reference of its name's text. */
uint32_t username_parameter(const struct kymo_value *value);
/* True when two parameters have one name. */
bool username_is_same(uint32_t region, uint32_t other);

/* Regions: usernamed.c. */

int userapi_region_begin(const char *name);
int userapi_region_end(const char *name);
int userapi_region_begin_with(const char *name, const struct kymo_value *values, size_t count);
int userapi_region_end_with(const char *name, const struct kymo_value *values, size_t count);
int userapi_phase_begin(const char *name);
int userapi_phase_end(const char *name);
int userapi_parameter(const struct kymo_value *value);

/* usersite.c: site_begin and site_end for a mode of collection. */
typedef int (*user_site_fn)(struct kymo_site *site);
user_site_fn usersite_begin(unsigned mode);
user_site_fn usersite_end(unsigned mode);

/* Events: userevents.c. */

#define USER_VALUES_MAX 32u /* of one event; more are left out */

/* Values as they are written, two words each; texts are in the recording. */
struct user_words {
	uint64_t words[2 * USER_VALUES_MAX];
	unsigned count; /* of values */
};
/* False when one of the values cannot be. */
bool userevents_prepare(struct user_words *out, const struct kymo_value *values, size_t count);
/* Between take and give, after the event they belong to. */
void userevents_write(struct kymo_thread *thread, const struct user_words *values, uint64_t now);

int userapi_instant(const char *name, const struct kymo_value *values, size_t count);
int userapi_message_send(const char *name, uint64_t id);
int userapi_message_receive(const char *name, uint64_t id);
int userapi_progress(const char *name);
int userapi_progress_with(const char *name, const struct kymo_value *values, size_t count);
int userapi_progress_begin(const char *name);
int userapi_progress_end(const char *name);
int userapi_site_mark(struct kymo_site *site);

/* Counters: usercounters.c. */

int userapi_counter_set(const char *name, const char *unit, double value);
int userapi_counter_add(const char *name, const char *unit, double change);
int userapi_site_count(struct kymo_site *site, double value, int is_sum);

/* Control: usercontrol.c. */

int userapi_thread_label(const char *name);
int userapi_start(void);
int userapi_stop(void);
int userapi_thread_start(void);
int userapi_thread_stop(void);
int userapi_snapshot(const char *name);

#endif

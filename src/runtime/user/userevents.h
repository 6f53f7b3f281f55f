/* Events, messages and progress reported by the program.  Each returns an enum kymo_result and
 * keeps errno.  Context: any. */
#ifndef KYMO_USEREVENTS_H
#define KYMO_USEREVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/user/userabi.h"

struct kymo_thread;

#define USER_VALUES_MAX 32u /* of one event; further ones are dropped */

/* Values as written, two words each; texts are in the recording. */
struct user_words {
	uint64_t words[2 * USER_VALUES_MAX];
	unsigned count; /* of values */
};
/* False if one of the values is invalid. */
bool userevents_prepare(struct user_words *out, const struct kymo_value *values, size_t count);
/* Between acquire and release, after the event they belong to. */
void userevents_write(struct kymo_thread *thread, const struct user_words *values, uint64_t now);

int userapi_instant(const char *name, const struct kymo_value *values, size_t count);
int userapi_message_send(const char *name, uint64_t id);
int userapi_message_receive(const char *name, uint64_t id);
int userapi_progress(const char *name);
int userapi_progress_with(const char *name, const struct kymo_value *values, size_t count);
int userapi_progress_begin(const char *name);
int userapi_progress_end(const char *name);
int userapi_site_mark(struct kymo_site *site);

#endif

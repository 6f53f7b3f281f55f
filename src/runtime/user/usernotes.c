/* Users' regions that were not ended in the order they were begun: the threads' records count
 * them, a note names the first of each kind. */
#include "runtime/user/usernotes.h"

#include <string.h>

#include "base/keeperrno.h"
#include "runtime/store/note.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/user/userstack.h"

#define TEXT_MAX 400u
#define NAME_MAX 200u

static const char *const sentences[MISUSE_COUNT] = {
	[MISUSE_NOT_OPEN] = "' was ended where it was not open",
	[MISUSE_REORDERED] = "' was ended before those inside of it, which ended with it",
	[MISUSE_NEVER_ENDED] = "' was still open when its thread ended",
};

static uint32_t noted[MISUSE_COUNT]; /* atomic; id of the process that wrote the note */

static bool is_first(enum user_misuse misuse)
{
	uint32_t process = store.header->pid;

	return __atomic_exchange_n(&noted[misuse], process, __ATOMIC_RELAXED) != process;
}

static void usernotes_append(char *text, const char *more, size_t most)
{
	size_t length = strlen(text);

	most = strnlen(more, most);
	memcpy(text + length, more, most);
	text[length + most] = '\0';
}

void user_misuse_note_locked(enum user_misuse misuse, uint32_t region)
{
	const struct kymo_region *record = region ? region_record(region) : NULL;
	char text[TEXT_MAX] = "the region '";

	if (!record || !is_first(misuse))
		return;
	usernotes_append(text, string_text(record->name), NAME_MAX);
	usernotes_append(text, sentences[misuse], NAME_MAX / 2);
	usernotes_append(text, "; further ones are only counted", NAME_MAX / 2);
	note_write(KYMO_NOTE_WARNING, "regions", text);
}

void user_misuse_note(enum user_misuse misuse, uint32_t region)
{
	KEEP_ERRNO();

	if (session.state != KYMO_RUNTIME_ACTIVE || !store_lock())
		return;
	user_misuse_note_locked(misuse, region);
	store_unlock();
}

/* The name's end is the last closing parenthesis: no later field contains one. */
#include "platform/proc/proc_stat.h"

#include <errno.h>

#include "platform/proc/proc_file.h"

#define STAT_BYTES 1024u

/* From the blank before the state on; NULL: there is none. */
static const char *behind_name(const char *text)
{
	const char *behind = NULL;

	for (; *text; text++)
		if (*text == ')')
			behind = text + 1;
	return behind && *behind == ' ' && behind[1] ? behind : NULL;
}

static uint64_t take_field(const char **at)
{
	bool is_negative = **at == '-';
	uint64_t value = 0;

	*at += is_negative;
	for (; **at >= '0' && **at <= '9'; ++*at)
		value = value * 10 + (uint64_t)(**at - '0');
	return is_negative ? -value : value;
}

bool proc_stat_parse(const char *text, uint64_t fields[PROC_STAT_FIELDS])
{
	const char *at = behind_name(text);

	if (!at)
		return false;
	for (unsigned i = 0; i < PROC_STAT_FIELDS; i++)
		fields[i] = 0;
	fields[PROC_STAT_STATE] = (unsigned char)at[1];
	at += 2;
	for (unsigned i = PROC_STAT_STATE + 1; i < PROC_STAT_FIELDS && *at == ' '; i++) {
		at++;
		fields[i] = take_field(&at);
	}
	return true;
}

bool proc_stat_read(int32_t process, int32_t thread, uint64_t fields[PROC_STAT_FIELDS])
{
	char text[STAT_BYTES];

	return proc_read(process, thread, "stat", text, sizeof(text)) > 0 &&
	       proc_stat_parse(text, fields);
}

char proc_stat_state(int32_t process, int32_t thread)
{
	char text[STAT_BYTES];
	long got = proc_read(process, thread, "stat", text, sizeof(text));
	const char *at = behind_name(text);

	if (at)
		return at[1];
	return got == -ENOENT || got == -ESRCH ? 'X' : 0;
}

bool proc_stat_has_ended(int32_t process, int32_t thread)
{
	char state = proc_stat_state(process, thread);

	return state == 'Z' || state == 'X' || state == 'x';
}

/* /proc/PID/stat: numbers after a name that may contain any character.  Context: any. */
#ifndef KYMO_PROC_STAT_H
#define KYMO_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of fields as in proc_pid_stat(5). */
enum {
	PROC_STAT_STATE = 3, /* a character */
	PROC_STAT_PARENT = 4,
	PROC_STAT_FLAGS = 9,
	PROC_STAT_MINOR_FAULTS = 10,
	PROC_STAT_MAJOR_FAULTS = 12,
	PROC_STAT_START = 22, /* in kernel clock ticks since boot */
	PROC_STAT_CODE_START = 26,
	PROC_STAT_CODE_END = 27,
	PROC_STAT_STACK_START = 28,
	PROC_STAT_ARGUMENTS = 48, /* address */
	PROC_STAT_FIELDS = 53
};

/* The fields in the text of such a file: those before the state, and missing ones, are 0;
 * negative ones are stored as int64_t.  False: invalid text. */
bool proc_stat_parse(const char *text, uint64_t fields[PROC_STAT_FIELDS]);
/* Those of a process, or of one of its threads; false: it has ended. */
bool proc_stat_read(int32_t process, int32_t thread, uint64_t fields[PROC_STAT_FIELDS]);

/* The state of a thread: 'X' if it has ended, 0 if unknown. */
char proc_stat_state(int32_t process, int32_t thread);
/* It has ended, or is a zombie: so is a first thread that ended before the others. */
bool proc_stat_has_ended(int32_t process, int32_t thread);

#endif

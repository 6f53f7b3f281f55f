/* /proc/PID/stat: numbers behind a name that may hold any character.  Context: any. */
#ifndef KYMO_PROC_STAT_H
#define KYMO_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of fields as proc_pid_stat(5) counts them. */
enum {
	PROC_STAT_STATE = 3, /* a character */
	PROC_STAT_PARENT = 4,
	PROC_STAT_FLAGS = 9,
	PROC_STAT_MINOR_FAULTS = 10,
	PROC_STAT_MAJOR_FAULTS = 12,
	PROC_STAT_START = 22, /* in the kernel's clock ticks since the machine was started */
	PROC_STAT_CODE_START = 26,
	PROC_STAT_CODE_END = 27,
	PROC_STAT_STACK_START = 28,
	PROC_STAT_ARGUMENTS = 48, /* address */
	PROC_STAT_FIELDS = 53
};

/* The fields in the text of such a file: those in front of the state, and those that the text has
 * not, are 0; what is below 0 is so as an int64_t.  False: it is none. */
bool proc_stat_parse(const char *text, uint64_t fields[PROC_STAT_FIELDS]);
/* Those of a process, or of one of its threads; false: it is gone. */
bool proc_stat_read(int32_t process, int32_t thread, uint64_t fields[PROC_STAT_FIELDS]);

/* The state of a thread: 'X' when it is gone, 0 when that cannot be told. */
char proc_stat_state(int32_t process, int32_t thread);
/* It is gone, or a zombie: a first thread that ended before the others is one. */
bool proc_stat_has_ended(int32_t process, int32_t thread);

#endif

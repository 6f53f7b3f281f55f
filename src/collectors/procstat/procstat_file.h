/* Files of /proc and /sys: opened once, read repeatedly from their beginning; directories; and
 * texts for their paths.  Kept open if descriptors are the thread's own, else opened for each
 * reading.  For the reading thread. */
#ifndef KYMO_PROCSTAT_FILE_H
#define KYMO_PROCSTAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/scan.h"

#define PROCSTAT_PATH 192

struct procstat_file {
	int fd; /* -1 = closed */
	char path[PROCSTAT_PATH];
};

/* The directory that contains /proc and /sys, by default "/"; is_kept: descriptors may be kept
 * open. */
void procstat_files_begin(const char *root, bool is_kept);
bool procstat_files_are_kept(void);
/* Supports %s, %u and %% of printf(3) only.  True if the file is readable now. */
bool procstat_file_open(struct procstat_file *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void procstat_file_close(struct procstat_file *file);
/* Its current content; the text is valid until the next call.  Length 0: not readable. */
struct scan procstat_file_read(struct procstat_file *file);
/* What this thread has read, which the kernel counts as the program's. */
void procstat_files_own(uint64_t *bytes_out, uint64_t *calls_out);
/* Its first number. */
bool procstat_file_number(struct procstat_file *file, uint64_t *value_out);
/* Copies its first line; false if there is none or it is longer. */
bool procstat_file_line(struct procstat_file *file, char *line_out, size_t size);
/* The directory's names in the order of the kernel; found returns false to end.  False: there is
 * no such directory. */
bool procstat_folder_walk(const char *path, bool (*found)(const char *name, void *context),
			  void *context);
/* The current number of entries and of links of the directory; 0 = unknown. */
void procstat_folder_counts(const char *path, uint64_t *entries_out, uint64_t *links_out);
/* As snprintf(3), with %s, %u and %% only. */
void procstat_format(char *text_out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* Options that several commands share, as rows of their tables, with the same meaning and help
 * text. */
#ifndef KYMO_COMMON_OPTIONS_H
#define KYMO_COMMON_OPTIONS_H

#include "base/owner.h"

/* A row is a line or two, as in the tables. */
/* clang-format off */

/* Filters. */
#define ROW_FILTER(text) \
	{'f', "filter", OPTION_TEXT, text, "REGEX", "Only regions whose name matches"}
#define ROW_THREAD(count) \
	{'t', "thread", OPTION_COUNT, count, "N", "Only the thread with this number"}
#define ROW_PROCESS(count) \
	{'p', "process", OPTION_COUNT, count, "PID", "Only this process"}
#define ROW_TOP(count) \
	{'n', "top", OPTION_COUNT, count, "N", "Show N rows, 0 = all"}

/* Output file and format of a table. */
#define ROW_TABLE_FORM(choice) \
	{0, "format", OPTION_CHOICE, choice, REPORT_FORMS, "Output format (default: text)"}
#define ROW_TABLE_OUTPUT(text) \
	{'o', "output", OPTION_TEXT, text, "FILE", "Write to FILE instead of standard output"}

#define ROW_TABLE_WIDTH(count) \
	{0, "width", OPTION_COUNT, count, "N", \
	 "Cut names so that rows have N columns, 0 = never (default: the terminal's; in files: 0)"}

/* Open recordings of other users, and write to their folders. */
#define ROW_FORCE \
	{0, "force", OPTION_FLAG, owner_force(), NULL, \
	 "Read a run that belongs to another user, and write into a folder that does"}

/* Times of calls as measured. */
#define ROW_RAW_TIMES(flag) \
	{0, "raw-times", OPTION_FLAG, flag, NULL, "Leave the overhead of measuring in the times"}

/* Samples instead of calls, and which; sampled: a struct sampled_options. */
#define ROW_SAMPLES(flag) \
	{0, "samples", OPTION_FLAG, flag, NULL, \
	 "Use the samples, even if calls were recorded"}
#define ROWS_SAMPLED(weight, sampled) \
	{0, "by", OPTION_CHOICE, weight, SAMPLED_BY_WORDS, \
	 "Weights of samples (default: cpu, or wall if hardly any CPU time was used)"}, \
	{'i', "inlines", OPTION_FLAG, &(sampled)->has_inlines, NULL, \
	 "Show inlined functions as separate regions, in samples"}, \
	{0, "internal", OPTION_FLAG, &(sampled)->keeps_internal, NULL, \
	 "Keep the frames of the Python interpreter and of Kymo, in samples"}, \
	{0, "debuginfod", OPTION_FLAG, &(sampled)->uses_debuginfod, NULL, \
	 "Ask the servers of $DEBUGINFOD_URLS for missing debug information"}

/* clang-format on */

#endif

/* Values of the keys in output names. Values that name things (arguments, times) are made fit for a
 * file name: '/' becomes '_', leading '.' and '_' are removed, long ones are truncated. */
#include "config/outputkey.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/md5.h"
#include "config/mpirank.h"
#include "platform/proc/proc_file.h"

#define VALUE_SIZE_MAX 200 /* of one key: a file name holds 255 bytes */

const struct output_key output_key_table[] = {
	{"%argv%", "", "The whole command line, joined by '_'"},
	{"%argt%", "", "The same with the program's base name"},
	{"%args%", "", "All arguments without the program, joined by '_'"},
	{"%tag%", "", "Base name of the program"},
	{"%argN%", "", "Argument number N; nothing when there is none"},
	{"%argv_hash%", "", "MD5 of %argv%"},
	{"%argt_hash%", "%m", "MD5 of %argt%"},
	{"%args_hash%", "", "MD5 of %args%"},
	{"%tag_hash%", "", "MD5 of %tag%"},
	{"%argN_hash%", "", "MD5 of %argN%"},
	{"%pid%", "%p", "Process id"},
	{"%ppid%", "", "Process id of the parent"},
	{"%pgid%", "", "Process group id"},
	{"%psid%", "", "Session id"},
	{"%psize%", "", "Number of processes that have the same parent"},
	{"%job%", "%j", "SLURM_JOB_ID, or 0"},
	{"%rank%", "%r", "MPI rank, or 0"},
	{"%size%", "%s", "Number of MPI ranks, or 1"},
	{"%nid%", "", "MPI rank, without MPI the process id"},
	{"%launch_time%", "", "Start of the run as TIME_FORMAT has it"},
	{"%env{X}%", "$env{X}", "Environment variable X"},
	{"%cfg{X}%", "$cfg{X}", "Value of the setting X"},
};
const size_t output_key_count = sizeof(output_key_table) / sizeof(*output_key_table);

typedef void (*put_fn)(struct textbuf *text, const struct output_context *context);

const char *output_environment(const struct output_context *context, const char *name)
{
	char *const *entry;
	size_t length = strlen(name);

	for (entry = context->environment; entry != NULL && *entry != NULL; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

/* Adapter for mpirank.h. */
static const char *outputkey_lookup(const void *context, const char *name)
{
	return output_environment(context, name);
}

static void put_clean(struct textbuf *text, const char *value)
{
	value += strspn(value, "./_");
	for (; *value != '\0'; value++)
		textbuf_char(text, *value == '/' ? '_' : *value);
}

static const char *program(const struct output_context *context)
{
	bool has_program = context->argv != NULL && context->argv[0] != NULL;

	return has_program && context->argv[0][0] != '\0' ? context->argv[0] : "unknown";
}

static void put_args(struct textbuf *text, const struct output_context *context)
{
	size_t before;

	if (context->argv == NULL || context->argv[0] == NULL)
		return;
	for (const char *const *argument = context->argv + 1; *argument != NULL; argument++) {
		before = text->length;
		if (before > 0)
			textbuf_char(text, '_');
		put_clean(text, *argument);
		if (before > 0 && text->length == before + 1)
			text->data[--text->length] = '\0'; /* nothing is left of it */
	}
}

static void put_argv(struct textbuf *text, const struct output_context *context)
{
	put_clean(text, program(context));
	put_args(text, context);
}

static void put_tag(struct textbuf *text, const struct output_context *context)
{
	put_clean(text, path_base_name(program(context)));
}

static void put_argt(struct textbuf *text, const struct output_context *context)
{
	put_tag(text, context);
	put_args(text, context);
}

static void put_pid(struct textbuf *text, const struct output_context *context)
{
	textbuf_format(text, "%d", (int)context->pid);
}

static void put_ppid(struct textbuf *text, const struct output_context *context)
{
	textbuf_format(text, "%d", (int)context->parent_pid);
}

static void put_pgid(struct textbuf *text, const struct output_context *context)
{
	textbuf_format(text, "%d", (int)getpgid(context->pid));
}

static void put_psid(struct textbuf *text, const struct output_context *context)
{
	textbuf_format(text, "%d", (int)getsid(context->pid));
}

static bool count_child(int32_t child, void *context)
{
	(void)child;
	++*(unsigned int *)context;
	return true;
}

static void put_psize(struct textbuf *text, const struct output_context *context)
{
	unsigned int count = 0;

	proc_children(context->parent_pid, context->parent_pid, count_child, &count);
	textbuf_format(text, "%u", count > 0 ? count : 1);
}

static const char *job_number(const struct output_context *context, const char *name)
{
	const char *value = output_environment(context, name);
	bool is_number =
		value != NULL && *value != '\0' && value[strspn(value, "0123456789")] == '\0';

	return is_number ? value : NULL;
}

static void put_job(struct textbuf *text, const struct output_context *context)
{
	const char *job = job_number(context, "SLURM_JOB_ID");

	if (job == NULL)
		job = job_number(context, "SLURM_JOBID");
	textbuf_text(text, job != NULL ? job : "0");
}

static void put_rank(struct textbuf *text, const struct output_context *context)
{
	const char *rank = mpirank_text(outputkey_lookup, context);

	textbuf_text(text, rank != NULL ? rank : "0");
}

static void put_size(struct textbuf *text, const struct output_context *context)
{
	const char *size = mpirank_size_text(outputkey_lookup, context);

	textbuf_text(text, size != NULL ? size : "1");
}

static void put_nid(struct textbuf *text, const struct output_context *context)
{
	const char *rank = mpirank_text(outputkey_lookup, context);

	if (rank != NULL)
		textbuf_text(text, rank);
	else
		put_pid(text, context);
}

static void put_launch_time(struct textbuf *text, const struct output_context *context)
{
	const char *format = settings_text(context->settings, SET_TIME_FORMAT);
	char stamp[256];
	struct tm parts;

	if (localtime_r(&context->launch_time, &parts) == NULL ||
	    strftime(stamp, sizeof(stamp), format, &parts) == 0)
		snprintf(stamp, sizeof(stamp), "%lld", (long long)context->launch_time);
	put_clean(text, stamp);
}

static const struct {
	const char *name;
	put_fn put;
} keys[] = {
	{"argv", put_argv},   {"argt", put_argt},
	{"args", put_args},   {"tag", put_tag},
	{"pid", put_pid},     {"ppid", put_ppid},
	{"pgid", put_pgid},   {"psid", put_psid},
	{"psize", put_psize}, {"job", put_job},
	{"rank", put_rank},   {"size", put_size},
	{"nid", put_nid},     {"launch_time", put_launch_time},
};

/* name is "arg" and digits: the number; else -1. */
static long argument_number(const char *name, size_t length)
{
	long number = 0;

	if (length < 4 || length > 9 || strncmp(name, "arg", 3) != 0)
		return -1;
	for (size_t i = 3; i < length; i++) {
		if (!isdigit((unsigned char)name[i]))
			return -1;
		number = number * 10 + (name[i] - '0');
	}
	return number;
}

static void outputkey_put_argument(struct textbuf *text, const struct output_context *context,
				   long number)
{
	const char *const *argument = context->argv;

	while (argument != NULL && *argument != NULL && number-- > 0)
		argument++;
	if (argument != NULL && *argument != NULL)
		put_clean(text, *argument);
}

/* Append the value of a key without hash; false when there is no such key. */
static bool put_plain(struct textbuf *text, const struct output_context *context, const char *name,
		      size_t length)
{
	long number = argument_number(name, length);

	if (number >= 0) {
		outputkey_put_argument(text, context, number);
		return true;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0) {
			keys[i].put(text, context);
			return true;
		}
	}
	return false;
}

static bool has_hash(const char *name, size_t length)
{
	return strncmp(name, "arg", 3) == 0 || (length == 3 && strncmp(name, "tag", 3) == 0);
}

/* Truncated to a length that fits a file name, not inside a character. */
static size_t outputkey_cut(const struct textbuf *value)
{
	size_t length = value->length;

	if (length <= VALUE_SIZE_MAX)
		return length;
	length = VALUE_SIZE_MAX;
	while (length > 0 && ((unsigned char)value->data[length] & 0xc0) == 0x80)
		length--;
	return length;
}

bool output_key_put(struct textbuf *text, const struct output_context *context, const char *name,
		    size_t length)
{
	static const char hash[] = "_hash";
	struct textbuf value = {0};
	char digest[MD5_TEXT_SIZE];
	size_t stem = length > sizeof(hash) - 1 ? length - (sizeof(hash) - 1) : 0;
	bool is_hash = stem > 0 && memcmp(name + stem, hash, sizeof(hash) - 1) == 0;
	bool is_known;

	if (is_hash && !has_hash(name, stem))
		return false;
	is_known = put_plain(&value, context, name, is_hash ? stem : length);
	if (value.has_failed)
		text->has_failed = true;
	if (value.length > 0 && is_hash) {
		md5_text(value.data, value.length, digest);
		textbuf_text(text, digest);
	} else if (value.length > 0) {
		textbuf_bytes(text, value.data, outputkey_cut(&value));
	}
	textbuf_release(&value);
	return is_known;
}

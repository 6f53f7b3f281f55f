/* The notes that a recording begins with: program, host, settings and environment.  What looks
 * like a secret is masked before it is written. */
#include "runtime/store/describe.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/secret.h"
#include "config/mpirank.h"
#include "config/settings.h"
#include "platform/systemclock.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/note.h"

#define TEXT_BYTES 8192

/* A text without its secrets; a process describes itself once at a time, with the lock held. */
static char masked[65536];

static void describe_note_link(const char *key, const char *path)
{
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length <= 0)
		return;
	target[length] = '\0';
	note_write(KYMO_NOTE_INFO, key, target);
}

/* Arguments, one note each, so that no quoting is needed. */
static void describe_note_command(const char *const *argv)
{
	char line[TEXT_BYTES];
	size_t used = 0;

	line[0] = '\0';
	for (size_t i = 0; argv && argv[i]; i++) {
		secret_mask_argument(argv, i, masked, sizeof(masked));
		note_write(KYMO_NOTE_INFO, "argument", masked);
		if (used < sizeof(line))
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s",
						 i ? " " : "", masked);
	}
	note_write(KYMO_NOTE_INFO, "command", line);
}

static void note_host(void)
{
	struct utsname host;
	char text[512];

	if (uname(&host) < 0)
		return;
	note_write(KYMO_NOTE_INFO, "hostname", host.nodename);
	snprintf(text, sizeof(text), "%.120s %.120s %.120s", host.sysname, host.release,
		 host.machine);
	note_write(KYMO_NOTE_INFO, "system", text);
}

/* Those that the process may use; if they do not fit the set, the number of those online. */
static void note_processors(void)
{
	cpu_set_t allowed;
	char text[16];
	long count = sched_getaffinity(0, sizeof(allowed), &allowed) == 0
			     ? CPU_COUNT(&allowed)
			     : sysconf(_SC_NPROCESSORS_ONLN);

	snprintf(text, sizeof(text), "%ld", count);
	if (count > 0)
		note_write(KYMO_NOTE_INFO, "processors", text);
}

static void note_time(void)
{
	time_t now = systemclock_seconds();
	struct tm local;
	char text[64];

	if (localtime_r(&now, &local) && strftime(text, sizeof(text), "%F %T %z", &local))
		note_write(KYMO_NOTE_INFO, "launch_time", text);
}

static const char *variable(const void *context, const char *name)
{
	size_t length = strlen(name);

	(void)context;
	for (char **entry = environ; entry && *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

/* In every process: an environment is noted once a run, but ranks may share a run. */
static void note_rank(void)
{
	const char *rank = mpirank_text(variable, NULL);
	const char *count = mpirank_size_text(variable, NULL);

	if (rank)
		note_write(KYMO_NOTE_INFO, "rank", rank);
	if (rank && count)
		note_write(KYMO_NOTE_INFO, "ranks", count);
}

/* All in the run's first recording; in the others those that differ from the defaults. */
static void note_settings(void)
{
	for (int id = 0; id < SETTING_COUNT; id++) {
		const char *value = settings_text(session.settings, (enum setting_id)id);

		if (session.is_root || strcmp(value, setting_table[id].default_text) != 0)
			note_write(KYMO_NOTE_SETTING, setting_table[id].name, value);
	}
}

static void note_environment(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		const char *equals = strchr(*entry, '=');
		char name[256];

		if (!equals || (size_t)(equals - *entry) >= sizeof(name))
			continue;
		memcpy(name, *entry, (size_t)(equals - *entry));
		name[equals - *entry] = '\0';
		secret_mask_variable(name, equals + 1, masked, sizeof(masked));
		note_write(KYMO_NOTE_ENVIRONMENT, name, masked);
	}
}

void describe_process(const char *const *argv)
{
	char text[PATH_MAX];

	note_write(KYMO_NOTE_INFO, "kymo_version", KYMO_VERSION);
	note_write(KYMO_NOTE_INFO, "program", session.program);
	describe_note_command(argv);
	describe_note_link("executable", "/proc/self/exe");
	if (getcwd(text, sizeof(text)))
		note_write(KYMO_NOTE_INFO, "directory", text);
	note_host();
	note_processors();
	note_rank();
	note_settings();
	if (!session.is_root)
		return;
	note_time();
	note_environment();
}

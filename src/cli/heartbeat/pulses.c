/* Which processes of a run live, and the times that are written for them. */
#include "cli/heartbeat/pulses.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/owner.h"
#include "format/format.h"
#include "platform/proc/proc_maps.h"
#include "platform/proc/proc_stat.h"
#include "platform/ticks.h"

#define SUFFIX ".kymo"

/* From the addresses of its code and stack. */
static uint64_t pulses_identity_of(uint32_t pid)
{
	uint64_t fields[PROC_STAT_FIELDS];

	if (pid > INT32_MAX || !proc_stat_read((int32_t)pid, 0, fields))
		return 0;
	return hash_bytes(HASH_SEED, &fields[PROC_STAT_CODE_START], 3 * sizeof(*fields));
}

struct mapped_name {
	const char *name;
	bool is_found;
};

static bool pulses_match_mapping(const struct proc_map *map, const char *path, void *context)
{
	struct mapped_name *mapped = context;

	(void)map;
	mapped->is_found = path[0] == '/' && strcmp(path_base_name(path), mapped->name) == 0;
	return !mapped->is_found;
}

/* Whether the process maps a file of this name. */
static bool pulses_has_mapped(uint32_t pid, const char *name)
{
	struct mapped_name mapped = {.name = name};
	char path[PATH_MAX];

	if (pid > INT32_MAX)
		return false;
	proc_maps_each((int32_t)pid, path, sizeof(path), pulses_match_mapping, &mapped);
	return mapped.is_found;
}

static bool pulses_read_header(int file, struct kymo_header *header)
{
	return pread(file, header, sizeof(*header), 0) == (ssize_t)sizeof(*header) &&
	       memcmp(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic)) == 0 &&
	       header->version == KYMO_FORMAT_VERSION && header->state == KYMO_STATE_OPEN;
}

static void choose_clock(uint32_t kind)
{
	if (kind == (uint32_t)clock_kind())
		return;
	clock_select(kind == KYMO_CLOCK_MONOTONIC	? "monotonic"
		     : kind == KYMO_CLOCK_MONOTONIC_RAW ? "monotonic_raw"
							: "auto");
}

/* False when nothing more can be written.  A file that was truncated is not extended. */
static bool write_moment(const struct pulse *pulse)
{
	struct kymo_header header;
	struct kymo_clock_pair now;

	if (!pulses_read_header(pulse->file, &header))
		return false;
	choose_clock(header.clock_kind);
	if (header.clock_kind != (uint32_t)clock_kind())
		return false;
	now = clock_read_pair();
	return pwrite(pulse->file, &now, sizeof(now), offsetof(struct kymo_header, heartbeat)) ==
	       (ssize_t)sizeof(now);
}

static void pulses_close(struct pulse *pulse)
{
	close(pulse->file);
	close(pulse->process);
	pulse->file = -1;
}

static void compact(struct pulses *pulses)
{
	size_t kept = 0;

	for (size_t i = 0; i < pulses->count; i++)
		if (pulses->items[i].file >= 0)
			pulses->items[kept++] = pulses->items[i];
	pulses->count = kept;
}

static bool pulses_reserve(struct pulses *pulses)
{
	struct pulse *items =
		array_grow(pulses->items, &pulses->capacity, pulses->count + 1, sizeof(*items));

	if (items)
		pulses->items = items;
	return items != NULL;
}

/* The mapping is checked after pidfd_open(), so it is the same process. */
static bool pulses_open_process(int file, const char *name, struct pulse *pulse)
{
	struct kymo_header header;
	struct stat info;

	if (fstat(file, &info) < 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
	    !pulses_read_header(file, &header))
		return false;
	pulse->file = file;
	pulse->pid = header.pid;
	pulse->process = (int)syscall(SYS_pidfd_open, header.pid, 0);
	if (pulse->process < 0)
		return false;
	pulse->identity = pulses_identity_of(header.pid);
	if (pulses_has_mapped(header.pid, name))
		return true;
	close(pulse->process);
	return false;
}

static void pulses_inspect(struct pulses *pulses, int directory, const char *name)
{
	struct pulse pulse;
	char target[PATH_MAX];
	ssize_t length = readlinkat(directory, name, target, sizeof(target) - 1);
	const char *mapped = name;
	int file = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (length > 0) { /* RECORD_PATH: a link to the recording */
		target[length] = '\0';
		mapped = path_base_name(target);
	}
	if (file < 0)
		return;
	if (pulses_reserve(pulses) && pulses_open_process(file, mapped, &pulse))
		pulses->items[pulses->count++] = pulse;
	else
		close(file);
}

static bool pulses_is_recording(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUFFIX);

	return name[0] != '.' && length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

void pulses_find(struct pulses *pulses, const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		uint64_t hash = hash_bytes(HASH_SEED, entry->d_name, strlen(entry->d_name));

		if (!pulses_is_recording(entry->d_name) || hashset_find_key(&pulses->seen, hash) ||
		    !hashset_insert(&pulses->seen, hash, 1))
			continue;
		pulses_inspect(pulses, dirfd(stream), entry->d_name);
	}
	if (stream)
		closedir(stream);
}

void pulses_beat(struct pulses *pulses)
{
	for (size_t i = 0; i < pulses->count; i++) {
		struct pulse *pulse = &pulses->items[i];

		if (pulses_identity_of(pulse->pid) != pulse->identity || !write_moment(pulse))
			pulses_close(pulse);
	}
	compact(pulses);
}

void pulses_write_survey(const struct pulses *pulses, uint32_t pid,
			 const struct kymo_survey *survey)
{
	struct kymo_header header;

	for (size_t i = 0; i < pulses->count; i++)
		if (pulses->items[i].pid == pid &&
		    pulses_read_header(pulses->items[i].file, &header))
			(void)!pwrite(pulses->items[i].file, survey, sizeof(*survey),
				      offsetof(struct kymo_header, survey));
}

struct pollfd *pulses_poll(const struct pulses *pulses, int other)
{
	struct pollfd *polled = calloc(pulses->count + 1, sizeof(*polled));

	for (size_t i = 0; polled && i < pulses->count; i++)
		polled[i] = (struct pollfd){pulses->items[i].process, POLLIN, 0};
	if (polled)
		polled[pulses->count] = (struct pollfd){other, POLLIN, 0};
	return polled;
}

void pulses_end(struct pulses *pulses, const struct pollfd *polled)
{
	for (size_t i = 0; i < pulses->count; i++)
		if (polled[i].revents) {
			write_moment(&pulses->items[i]);
			pulses_close(&pulses->items[i]);
		}
	compact(pulses);
}

void pulses_release(struct pulses *pulses)
{
	for (size_t i = 0; i < pulses->count; i++)
		pulses_close(&pulses->items[i]);
	free(pulses->items);
	hashset_release(&pulses->seen);
}

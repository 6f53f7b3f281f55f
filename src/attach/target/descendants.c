/* The kernel tells each thread's children where it was built so; else every process's parent
 * is asked for. */
#include "attach/target/descendants.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/target/target.h"
#include "base/array.h"

#define FIELD_PARENT 1
#define MEMBERS_MAX  65536u /* some fork faster than they are listed */

struct family {
	struct descendant *members;
	size_t count, capacity;
};

static void descendants_add(struct family *family, pid_t pid, pid_t parent)
{
	struct descendant *grown = family->count < MEMBERS_MAX
					   ? array_grow(family->members, &family->capacity,
							family->count + 1, sizeof(*grown))
					   : NULL;

	if (!grown)
		return;
	family->members = grown;
	grown[family->count++] = (struct descendant){pid, parent};
}

static void add_children_of_thread(struct family *family, pid_t pid, const char *thread)
{
	char path[320];
	FILE *stream;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, thread);
	stream = fopen(path, "re");
	while (stream && fscanf(stream, "%d", &child) == 1)
		descendants_add(family, (pid_t)child, pid);
	if (stream)
		fclose(stream);
}

static void add_children(struct family *family, pid_t pid)
{
	char path[64];
	const struct dirent *entry;
	DIR *stream;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	stream = opendir(path);
	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			add_children_of_thread(family, pid, entry->d_name);
	if (stream)
		closedir(stream);
}

static void add_by_parents(struct family *family, pid_t pid)
{
	uint64_t fields[TARGET_STAT_FIELDS];
	const struct dirent *entry;
	DIR *stream = opendir("/proc");

	while (stream && (entry = readdir(stream))) {
		pid_t other = (pid_t)strtol(entry->d_name, NULL, 10);

		if (other > 0 && target_stat(other, 0, fields) &&
		    (pid_t)fields[FIELD_PARENT] == pid)
			descendants_add(family, other, pid);
	}
	if (stream)
		closedir(stream);
}

struct descendant *descendants(pid_t root, size_t *count_out)
{
	const bool has_lists = access("/proc/thread-self/children", F_OK) == 0;
	struct family family = {0};

	for (size_t i = 0; i <= family.count; i++) {
		pid_t pid = i == 0 ? root : family.members[i - 1].pid;

		if (has_lists)
			add_children(&family, pid);
		else
			add_by_parents(&family, pid);
	}
	*count_out = family.count;
	return family.members;
}

/* The kernel lists each thread's children if built so; else the parent of every process is read. */
#include "attach/target/descendants.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/target/target.h"
#include "base/array.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_stat.h"

#define MEMBERS_MAX 65536u /* some fork faster than they are listed */

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

struct generation { /* the children of one process */
	struct family *family;
	pid_t parent;
};

static bool add_child(int32_t child, void *context)
{
	const struct generation *generation = context;

	descendants_add(generation->family, child, generation->parent);
	return true;
}

static bool add_children_of_thread(int32_t thread, void *context)
{
	const struct generation *generation = context;

	proc_children(generation->parent, thread, add_child, context);
	return true;
}

static void add_children(struct family *family, pid_t pid)
{
	struct generation generation = {family, pid};

	proc_threads(pid, add_children_of_thread, &generation);
}

static void add_by_parents(struct family *family, pid_t pid)
{
	uint64_t fields[PROC_STAT_FIELDS];
	const struct dirent *entry;
	DIR *stream = opendir("/proc");

	while (stream && (entry = readdir(stream))) {
		pid_t other = (pid_t)strtol(entry->d_name, NULL, 10);

		if (other > 0 && proc_stat_read(other, 0, fields) &&
		    (pid_t)fields[PROC_STAT_PARENT] == pid)
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

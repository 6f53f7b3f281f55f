/* The time of each thread by what it did. */
#include "model/findings/activity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/code/sampled_calls.h"
#include "model/parts/runtime_code.h"
#include "model/samples/sampled_threads.h"

static const struct {
	const char *word, *title;
	bool is_wait;
} descriptions[ACTIVITIES] = {
	[ACTIVITY_PYTHON] = {"python", "Python code", false},
	[ACTIVITY_NATIVE] = {"native", "native and built-in code", false},
	[ACTIVITY_SYSTEM] = {"system", "system calls", false},
	[ACTIVITY_USER] = {"user", "annotated regions", false},
	[ACTIVITY_IMPORT] = {"import", "importing modules", false},
	[ACTIVITY_MPI] = {"mpi", "MPI", true},
	[ACTIVITY_IO] = {"io", "files and pipes", true},
	[ACTIVITY_NETWORK] = {"network", "network", true},
	[ACTIVITY_LOCK] = {"lock", "waiting for locks and threads", true},
	[ACTIVITY_GIL] = {"gil", "waiting for the GIL", true},
	[ACTIVITY_CHILD] = {"child", "waiting for processes", true},
	[ACTIVITY_SLEEP] = {"sleep", "sleeping", true},
	[ACTIVITY_OTHER] = {"other", "other waiting", true},
	[ACTIVITY_READY] = {"ready", "no processor free", true},
	[ACTIVITY_OFF] = {"off", "off the processor", true},
	[ACTIVITY_PROGRAM] = {"program", "functions that were not recorded", false},
	[ACTIVITY_OUTSIDE] = {"outside", "outside any recorded region", false},
	[ACTIVITY_MEASURING] = {"measuring", "measuring", false},
};

const char *activity_title(enum activity activity)
{
	return descriptions[activity].title;
}

const char *activity_word(enum activity activity)
{
	return descriptions[activity].word;
}

bool activity_is_wait(enum activity activity)
{
	return descriptions[activity].is_wait;
}

static const enum activity of_class[SAMPLED_CLASSES] = {
	[SAMPLED_PYTHON] = ACTIVITY_PYTHON,   [SAMPLED_NATIVE] = ACTIVITY_NATIVE,
	[SAMPLED_KERNEL] = ACTIVITY_SYSTEM,   [SAMPLED_LOCK] = ACTIVITY_LOCK,
	[SAMPLED_GIL] = ACTIVITY_GIL,	      [SAMPLED_IO] = ACTIVITY_IO,
	[SAMPLED_NETWORK] = ACTIVITY_NETWORK, [SAMPLED_SLEEP] = ACTIVITY_SLEEP,
	[SAMPLED_CHILD] = ACTIVITY_CHILD,     [SAMPLED_OTHER] = ACTIVITY_OTHER,
	[SAMPLED_RUNNABLE] = ACTIVITY_READY,
};

static struct activity_thread from_samples(const struct sampled_thread *sampled, size_t process)
{
	struct activity_thread thread = {
		.process = process,
		.thread = sampled->thread,
		.is_sampled = true,
		.sample_count = sampled->count,
		.cpu_ns = sampled->cpu_ns,
	};

	for (unsigned int i = 0; i < SAMPLED_CLASSES; i++) {
		thread.ns[of_class[i]] += sampled->class_ns[i];
		thread.total_ns += sampled->class_ns[i];
	}
	return thread;
}

#define ANY	  NULL
#define LEAST_OFF 0.02

/* Built-in functions by name and by the last part of their module or type. */
static const struct {
	const char *name, *owner;
	enum activity activity;
} builtins[] = {
	{"sleep", "time", ACTIVITY_SLEEP},
	{"acquire", ANY, ACTIVITY_LOCK},
	{"acquire_lock", ANY, ACTIVITY_LOCK},
	{"join", "_ThreadHandle", ACTIVITY_LOCK},
	{"_join", "_ThreadHandle", ACTIVITY_LOCK},
	{"__enter__", "lock", ACTIVITY_LOCK},
	{"__enter__", "RLock", ACTIVITY_LOCK},
	{"get", "SimpleQueue", ACTIVITY_LOCK},
	{"wait", "posix", ACTIVITY_CHILD},
	{"wait3", "posix", ACTIVITY_CHILD},
	{"wait4", "posix", ACTIVITY_CHILD},
	{"waitid", "posix", ACTIVITY_CHILD},
	{"waitpid", "posix", ACTIVITY_CHILD},
	{"print", "builtins", ACTIVITY_IO},
	{"input", "builtins", ACTIVITY_IO},
	{ANY, "_io", ACTIVITY_IO},
	{ANY, "FileIO", ACTIVITY_IO},
	{ANY, "BufferedReader", ACTIVITY_IO},
	{ANY, "BufferedWriter", ACTIVITY_IO},
	{ANY, "BufferedRandom", ACTIVITY_IO},
	{ANY, "TextIOWrapper", ACTIVITY_IO},
	{"open", "posix", ACTIVITY_IO},
	{"close", "posix", ACTIVITY_IO},
	{"read", "posix", ACTIVITY_IO},
	{"write", "posix", ACTIVITY_IO},
	{"pread", "posix", ACTIVITY_IO},
	{"pwrite", "posix", ACTIVITY_IO},
	{"fsync", "posix", ACTIVITY_IO},
	{"fdatasync", "posix", ACTIVITY_IO},
	{"sendfile", "posix", ACTIVITY_IO},
	{"stat", "posix", ACTIVITY_IO},
	{"listdir", "posix", ACTIVITY_IO},
	{"scandir", "posix", ACTIVITY_IO},
	{ANY, "socket", ACTIVITY_NETWORK},
	{ANY, "_socket", ACTIVITY_NETWORK},
	{ANY, "select", ACTIVITY_NETWORK},
	{ANY, "epoll", ACTIVITY_NETWORK},
	{ANY, "poll", ACTIVITY_NETWORK},
	{ANY, "_SSLSocket", ACTIVITY_NETWORK},
};

static enum activity of_builtin(const struct region *region)
{
	const char *module = region->module ? region->module : "";
	const char *dot = strrchr(module, '.'), *owner = dot ? dot + 1 : module;

	if (runtime_code_of(region) == RUNTIME_CODE_MPI)
		return ACTIVITY_MPI;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		if ((!builtins[i].name || strcmp(builtins[i].name, region->name) == 0) &&
		    (!builtins[i].owner || strcmp(builtins[i].owner, owner) == 0))
			return builtins[i].activity;
	}
	return ACTIVITY_NATIVE;
}

/* Samples in a merged run are calls of what the threads were in: "futex (kernel)". */
static enum activity of_native(const struct region *region)
{
	static const char kernel[] = " (kernel)";
	size_t length = strlen(region->name), size = sizeof(kernel) - 1;
	const struct sampled_call *call;
	char name[64];

	if (strncmp(region->name, "MPI_", 4) == 0)
		return ACTIVITY_MPI;
	if (strcmp(region->name, "[waits for the GIL]") == 0)
		return ACTIVITY_GIL;
	if (length <= size || length - size >= sizeof(name) ||
	    strcmp(region->name + length - size, kernel) != 0)
		return ACTIVITY_NATIVE;
	memcpy(name, region->name, length - size);
	name[length - size] = '\0';
	call = sampled_call_named(name);
	return call ? of_class[call->class] : ACTIVITY_SYSTEM;
}

/* Without an object it is the thread itself, whose activity is not known. */
static enum activity of_threads(const struct region *region)
{
	if (strcmp(region->name, "waiting for the GIL") == 0)
		return ACTIVITY_GIL;
	return region->flags & KYMO_REGION_OBJECT ? ACTIVITY_LOCK : ACTIVITY_PROGRAM;
}

enum activity activity_of(const struct region *region)
{
	switch (region->kind) {
	case KYMO_REGION_ROOT:
		return ACTIVITY_OUTSIDE;
	case KYMO_REGION_PROGRAM:
		return ACTIVITY_PROGRAM;
	case KYMO_REGION_PYTHON:
	case KYMO_REGION_TASK:
		return ACTIVITY_PYTHON;
	case KYMO_REGION_PYTHON_C:
	case KYMO_REGION_PYTHON_METHOD:
		return of_builtin(region);
	case KYMO_REGION_USER:
	case KYMO_REGION_PHASE:
	case KYMO_REGION_PARAMETER:
	case KYMO_REGION_PROGRESS:
		return ACTIVITY_USER;
	case KYMO_REGION_PTHREAD:
		return of_threads(region);
	case KYMO_REGION_MPI:
		return ACTIVITY_MPI;
	case KYMO_REGION_IO:
		return ACTIVITY_IO;
	default:
		return of_native(region);
	}
}

/* The interpreter's own function in data of other tools, else Kymo's region without a file. */
bool activity_is_import(const struct region *region)
{
	static const char prefix[] = "import ";

	if (region->kind != KYMO_REGION_PYTHON)
		return false;
	return (!region->file && strncmp(region->name, prefix, sizeof(prefix) - 1) == 0) ||
	       strcmp(region->name, "_find_and_load") == 0 ||
	       strcmp(region->name, "import_module") == 0;
}

/* The calls of one process, into the entries of its threads by number. */
static bool activity_add_calls(struct activity_thread *threads, const struct calltree *tree)
{
	bool *is_below = calloc((size_t)tree->node_count + 1, sizeof(*is_below));

	for (uint32_t i = 0; is_below && i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		const struct region *region = &tree->recording->regions[node->region];
		enum activity activity = node->depth == 0 ? ACTIVITY_OUTSIDE : activity_of(region);

		/* A thread's root is a root even if another thread created it. */
		is_below[i] = node->depth > 0 &&
			      (activity_is_import(region) ||
			       (node->parent != CALLTREE_NONE && is_below[node->parent]));
		threads[node->thread].ns[is_below[i] ? ACTIVITY_IMPORT : activity] += node->self_ns;
		threads[node->thread].total_ns += node->self_ns;
	}
	free(is_below);
	for (uint32_t i = 0; tree->thread_measuring_ns && i < tree->recording->thread_count; i++) {
		threads[i].ns[ACTIVITY_MEASURING] += tree->thread_measuring_ns[i];
		threads[i].total_ns += tree->thread_measuring_ns[i];
	}
	return is_below != NULL;
}

/* Take the time without a processor from activities that look like work, in proportion, if it
 * exceeds the difference of the two clocks.  Measuring is work. */
static void find_off(struct activity_thread *thread)
{
	double work = 0, wait = 0, off, measuring = thread->ns[ACTIVITY_MEASURING];

	for (unsigned int i = 0; i < ACTIVITIES; i++) {
		if (descriptions[i].is_wait)
			wait += thread->ns[i];
		else
			work += thread->ns[i];
	}
	off = work - thread->cpu_ns;
	if (!(thread->cpu_ns > 0) || off < LEAST_OFF * (work + wait))
		return;
	for (unsigned int i = 0; i < ACTIVITIES; i++) {
		if (!descriptions[i].is_wait && i != ACTIVITY_MEASURING)
			thread->ns[i] *= fmax(thread->cpu_ns - measuring, 0) / (work - measuring);
	}
	thread->ns[ACTIVITY_OFF] = fmin(off, work - measuring);
}

struct activity_list {
	struct activities *activities;
	size_t capacity;
};

static bool activity_put(struct activity_list *list, const struct activity_thread *thread)
{
	struct activities *all = list->activities;
	struct activity_thread *grown =
		array_grow(all->threads, &list->capacity, all->count + 1, sizeof(*grown));

	if (!grown)
		return false;
	all->threads = grown;
	grown[all->count++] = *thread;
	return true;
}

static enum kymo_status activity_put_sampled(struct activity_list *list,
					     const struct loaded_run *loaded, size_t process)
{
	struct recording *recording = (struct recording *)loaded->trees[process]->recording;
	struct sampled_threads *sampled;
	enum kymo_status status =
		sampled_threads_new(recording, loaded_samples(loaded, process), &sampled);

	if (status < 0)
		return status;
	for (size_t i = 0; status == KYMO_OK && i < sampled->count; i++) {
		struct activity_thread thread = from_samples(&sampled->threads[i], process);

		status = activity_put(list, &thread) ? KYMO_OK : KYMO_MEMORY;
	}
	sampled_threads_free(sampled);
	return status;
}

static enum kymo_status activity_put_calls(struct activity_list *list, const struct calltree *tree,
					   size_t process)
{
	const struct recording *recording = tree->recording;
	struct activity_thread *threads =
		calloc((size_t)recording->thread_count + 1, sizeof(*threads));
	bool is_well = threads && activity_add_calls(threads, tree);

	for (uint32_t i = 0; is_well && i < recording->thread_count; i++) {
		threads[i].process = process;
		threads[i].thread = i;
		threads[i].cpu_ns = (double)recording->threads[i].cpu_ns;
		find_off(&threads[i]);
		if (recording->threads[i].is_present)
			is_well = activity_put(list, &threads[i]);
	}
	free(threads);
	return is_well ? KYMO_OK : KYMO_MEMORY;
}

enum kymo_status activities_new(const struct loaded_run *loaded, struct activities **out)
{
	struct activity_list list = {.activities = calloc(1, sizeof(*list.activities))};
	enum kymo_status status = list.activities ? KYMO_OK : KYMO_MEMORY;

	for (size_t i = 0; status == KYMO_OK && i < loaded->tree_count; i++) {
		const struct samples *samples = loaded_samples(loaded, i);

		status = samples && samples->count > 0
				 ? activity_put_sampled(&list, loaded, i)
				 : activity_put_calls(&list, loaded->trees[i], i);
	}
	if (status < 0)
		activities_free(list.activities);
	else
		*out = list.activities;
	return status;
}

void activities_free(struct activities *activities)
{
	if (!activities)
		return;
	free(activities->threads);
	free(activities);
}

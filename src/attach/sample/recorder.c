/* Observations become records: code objects and modules are written when they are first seen. */
#include "attach/sample/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "attach/sample/nativetarget.h"
#include "attach/sample/watch_observe.h"
#include "attach/sample/watch_open.h"
#include "attach/target/targetnames.h"
#include "base/array.h"
#include "base/secret.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"

#define ARGUMENTS_MAX 1024 /* of a command line that are recorded */

struct seen_thread { /* user of a watch_thread */
	uint32_t number;
	uint32_t stack; /* written last */
	bool is_paused; /* samples were skipped since the last one */
	bool has_stack;
};

static void recorder_begin_thread(void *context, struct watch_thread *thread)
{
	struct recorder *recorder = context;
	struct seen_thread *seen = calloc(1, sizeof(*seen));

	if (!seen)
		return;
	seen->number = writer_thread(&recorder->writer, (uint64_t)thread->task.id, thread->name,
				     recorder->now);
	if (seen->number == KYMO_NO_THREAD) {
		free(seen);
		return;
	}
	thread->user = seen;
	seen->is_paused = true;
}

static void recorder_end_thread(void *context, struct watch_thread *thread)
{
	struct recorder *recorder = context;
	struct seen_thread *seen = thread->user;

	if (!seen)
		return;
	writer_thread_end(&recorder->writer, seen->number,
			  thread->is_present ? 0 : recorder->now, /* 0 = it has not ended */
			  thread->task.last.run_ns);
	free(seen);
	thread->user = NULL;
}

static void write_codes(struct recorder *recorder)
{
	struct codetable *codes = &recorder->watch.codes;
	uint32_t id;

	for (; recorder->code_count < codes->count; recorder->code_count++) {
		const struct codetable_entry *entry = &codes->entries[recorder->code_count];

		if (!writer_code(&recorder->writer, entry, recorder->watch.python.version, &id))
			return;
	}
}

static void write_sample(struct recorder *recorder, struct watch_thread *thread)
{
	struct seen_thread *seen = thread->user;
	struct writer *writer = &recorder->writer;
	const uint64_t cpu_ns = thread->task.last.run_ns;

	if (seen->is_paused)
		writer_begin(writer, seen->number, recorder->before, cpu_ns);
	seen->is_paused = false;
	if (!thread->is_same || !seen->has_stack) {
		write_codes(recorder);
		seen->stack =
			writer_stack(writer, seen->number, thread->frames, thread->frame_count);
		seen->has_stack = true;
	}
	writer_sample(writer, seen->number, recorder->now, seen->stack, cpu_ns, thread->gil);
}

static void recorder_observed(void *context, struct watch_thread *thread)
{
	struct recorder *recorder = context;
	struct seen_thread *seen = thread->user;

	if (!seen)
		return;
	if (thread->is_renamed)
		writer_thread_name(&recorder->writer, seen->number, thread->name);
	thread->is_renamed = false;
	switch (thread->result) {
	case WATCH_STACK:
		write_sample(recorder, thread);
		break;
	case WATCH_LOST:
		seen->has_stack = false;
		if (!seen->is_paused)
			writer_lost(&recorder->writer, seen->number, recorder->now, 1);
		break;
	case WATCH_PASSED:
		seen->is_paused = true;
		break;
	}
}

static bool recorder_is_written(struct recorder *recorder, uint64_t hash)
{
	uint64_t *grown;

	for (size_t i = 0; i < recorder->module_count; i++)
		if (recorder->modules[i] == hash)
			return true;
	grown = array_grow(recorder->modules, &recorder->module_capacity,
			   recorder->module_count + 1, sizeof(*grown));
	if (grown) {
		recorder->modules = grown;
		grown[recorder->module_count++] = hash;
	}
	return false;
}

static void recorder_write_modules(struct recorder *recorder)
{
	struct targetmaps *maps = &recorder->watch.maps;
	struct targetnames *names = targetnames_new(recorder->watch.remote.pid);

	for (size_t i = 0; i < maps->module_count; i++) {
		struct targetmodule *module = &maps->modules[i];
		const uint64_t range[] = {module->start, module->end};
		uint64_t hash = hash_bytes(HASH_SEED, range, sizeof(range));
		const struct elfimage *image;

		if (recorder_is_written(recorder,
					hash_bytes(hash, module->path, strlen(module->path))))
			continue;
		image = targetmaps_image(maps, module, &recorder->watch.remote);
		writer_module(&recorder->writer,
			      &(struct kymo_module){.start = module->start,
						    .end = module->end,
						    .bias = module->bias,
						    .ticks = ticks_now()},
			      module->path, names ? targetnames_find(names, module) : NULL,
			      image && image->build_id[0] ? image->build_id : NULL);
	}
	targetnames_free(names);
	recorder->maps_count = recorder->watch.maps_count;
}

static void recorder_note_link(struct outsidefile *file, pid_t pid, const char *key,
			       const char *name)
{
	char path[64], target[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return;
	target[length] = '\0';
	outsidefile_note(file, KYMO_NOTE_INFO, key, target);
}

static void recorder_note_command(struct outsidefile *file, pid_t pid)
{
	char path[64], line[8192], text[8192], masked[8192];
	const char *argv[ARGUMENTS_MAX + 1] = {NULL};
	size_t length, count = 0, used = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	stream = fopen(path, "re");
	length = stream ? fread(line, 1, sizeof(line) - 1, stream) : 0;
	if (stream)
		fclose(stream);
	line[length] = '\0';
	for (size_t at = 0; at < length && count < ARGUMENTS_MAX; at += strlen(line + at) + 1)
		argv[count++] = line + at;
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		secret_mask_argument(argv, i, masked, sizeof(masked));
		outsidefile_note(file, KYMO_NOTE_INFO, "argument", masked);
		if (used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? " " : "", masked);
	}
	outsidefile_note(file, KYMO_NOTE_INFO, "command", text);
}

static void note_process(struct recorder *recorder, bool is_root)
{
	struct outsidefile *file = &recorder->writer.file;
	const pid_t pid = recorder->watch.target.pid;
	const struct pyruntime *runtime = &recorder->watch.python.runtime;
	struct utsname host;
	char text[256];

	recorder_note_command(file, pid);
	recorder_note_link(file, pid, "executable", "exe");
	recorder_note_link(file, pid, "directory", "cwd");
	if (uname(&host) == 0) {
		outsidefile_note(file, KYMO_NOTE_INFO, "hostname", host.nodename);
		snprintf(text, sizeof(text), "%.80s %.80s %.80s", host.sysname, host.release,
			 host.machine);
		outsidefile_note(file, KYMO_NOTE_INFO, "system", text);
	}
	if (recorder->watch.has_python) {
		snprintf(text, sizeof(text), "%u.%u", runtime->layout.version >> 8,
			 runtime->layout.version & 0xffu);
		outsidefile_note(file, KYMO_NOTE_INFO, "python", text);
	}
	if (is_root) {
		time_t now = systemclock_seconds();
		struct tm local;

		if (localtime_r(&now, &local) && strftime(text, sizeof(text), "%F %T %z", &local))
			outsidefile_note(file, KYMO_NOTE_INFO, "launch_time", text);
	}
}

static void note_result(struct recorder *recorder, double rate, double rate_asked)
{
	struct outsidefile *file = &recorder->writer.file;
	const struct watch *watch = &recorder->watch;
	uint64_t refusals;
	char text[200];
	int error;

	snprintf(text, sizeof(text), "%g Hz asked, %.4g Hz arrived, from outside", rate_asked,
		 rate);
	outsidefile_note(file, KYMO_NOTE_INFO, "sampling realtime", text);
	refusals = watch->native ? nativetarget_refusals(watch->native, &error) : 0;
	if (refusals > 0) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " times a thread could not be stopped by ptrace: %s", refusals,
			 strerror(error));
		outsidefile_note(file, KYMO_NOTE_LOSS, "sampling", text);
	}
	if (watch->lost_count > 0) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " stacks changed while they were read and were left out",
			 watch->lost_count);
		outsidefile_note(file, KYMO_NOTE_LOSS, "sampling", text);
	}
}

static enum kymo_status open_writer(struct recorder *recorder,
				    const struct recorder_options *options, struct problem *problem)
{
	const struct target *target = &recorder->watch.target;
	const struct writer_subject subject = {
		.directory = options->directory,
		.program = target->name,
		.pid = target->pid,
		.parent_pid = options->parent ? options->parent : target->parent,
		.settings = options->settings,
		.is_root = options->is_root,
	};

	return writer_open(&recorder->writer, &subject, problem);
}

enum kymo_status recorder_begin(struct recorder *recorder, const struct recorder_options *options,
				struct problem *problem)
{
	enum kymo_status status = open_writer(recorder, options, problem);

	if (status < 0) {
		watch_close(&recorder->watch, NULL);
		return status;
	}
	recorder->sink = (struct watch_sink){recorder_begin_thread, recorder_end_thread,
					     recorder_observed, recorder};
	recorder->now = recorder->before = ticks_now();
	note_process(recorder, options->is_root);
	recorder_write_modules(recorder);
	return KYMO_OK;
}

enum kymo_status recorder_open(struct recorder *recorder, pid_t pid,
			       const struct recorder_options *options, bool *may_appear_out,
			       struct problem *problem)
{
	enum kymo_status status;

	memset(recorder, 0, sizeof(*recorder));
	status = watch_open(&recorder->watch, pid, options->watch, may_appear_out, problem);
	return status < 0 ? status : recorder_begin(recorder, options, problem);
}

/* Switched off by `kymo ctl stop`: nothing is read then. */
static enum watch_state recorder_idle(struct recorder *recorder)
{
	if (recorder->watch.native) /* a thread that stops late must be resumed */
		nativetarget_resume(recorder->watch.native);
	for (size_t i = 0; i < recorder->watch.count; i++) {
		struct seen_thread *seen = recorder->watch.threads[i]->user;

		if (seen)
			seen->is_paused = true;
	}
	return target_is_alive(&recorder->watch.target) ? WATCH_RUNNING : WATCH_ENDED;
}

enum watch_state recorder_observe(struct recorder *recorder)
{
	const struct kymo_header *header = recorder->writer.file.header;
	enum watch_state state;

	recorder->before = recorder->now;
	recorder->now = ticks_now();
	if (__atomic_load_n(&header->gate, __ATOMIC_ACQUIRE) & KYMO_GATE_OFF)
		return recorder_idle(recorder);
	state = watch_observe(&recorder->watch, recorder->now, &recorder->sink);
	if (recorder->maps_count != recorder->watch.maps_count)
		recorder_write_modules(recorder);
	outsidefile_calibrate(&recorder->writer.file, false);
	return state;
}

void recorder_close(struct recorder *recorder, enum watch_state state, double rate,
		    double rate_asked)
{
	note_result(recorder, rate, rate_asked);
	watch_close(&recorder->watch, &recorder->sink);
	writer_close(&recorder->writer,
		     state == WATCH_REPLACED ? KYMO_STATE_ABANDONED : KYMO_STATE_CLOSED);
	free(recorder->modules);
	recorder->modules = NULL;
}

/* Writes the recording of another process: threads, code objects, stacks, samples.  One writer per
 * process, one thread; uses malloc. */
#ifndef KYMO_WRITER_H
#define KYMO_WRITER_H

#include "attach/python/codetable.h"
#include "config/settings.h"
#include "writer/outsidefile.h"

#define WRITER_DEPTH 4096u /* frames of a stack at most */

struct writer_thread;

struct writer {
	struct outsidefile file;
	struct writer_thread **threads; /* by number */
	uint32_t thread_count;
	size_t thread_capacity;
	uint32_t code_count;
	uint64_t sample_count, lost_count;
};

struct writer_subject { /* the subject of the recording */
	const char *directory;
	const char *program;
	pid_t pid, parent_pid;
	uint64_t start_realtime_ns; /* of the parent's recording, 0 = none */
	const struct settings *settings;
	bool is_root; /* the run's first process */
};

enum kymo_status writer_open(struct writer *writer, const struct writer_subject *subject,
			     struct problem *problem);
void writer_close(struct writer *writer, enum kymo_state state);

/* A thread that is observed from now on; returns its number, KYMO_NO_THREAD = the recording is
 * full. */
uint32_t writer_thread(struct writer *writer, uint64_t system_id, const char *name, uint64_t ticks);
void writer_thread_name(struct writer *writer, uint32_t thread, const char *name);
void writer_thread_end(struct writer *writer, uint32_t thread, uint64_t ticks, uint64_t cpu_ns);

/* A new code object; false: the recording is full. */
bool writer_code(struct writer *writer, const struct codetable_entry *code, uint16_t version,
		 uint32_t *id_out);
/* name: a link to it that the process used; NULL = path, build_id: NULL = none. */
void writer_module(struct writer *writer, const struct kymo_module *module, const char *path,
		   const char *name, const char *build_id);

/* The stack of these frames, outermost first; 0 = none, or the recording is full. */
uint32_t writer_stack(struct writer *writer, uint32_t thread, const uint64_t *frames, size_t count);

/* Sampling begins, or resumes; cpu_ns: the thread's CPU time so far. */
void writer_begin(struct writer *writer, uint32_t thread, uint64_t ticks, uint64_t cpu_ns);
void writer_sample(struct writer *writer, uint32_t thread, uint64_t ticks, uint32_t stack,
		   uint64_t cpu_ns, enum kymo_gil_state gil);
void writer_lost(struct writer *writer, uint32_t thread, uint64_t ticks, uint64_t count);

#endif

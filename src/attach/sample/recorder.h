/* A watched process and its recording.  One thread; uses malloc. */
#ifndef KYMO_RECORDER_H
#define KYMO_RECORDER_H

#include "attach/sample/watch.h"
#include "attach/sample/writer.h"

struct recorder {
	struct watch watch;
	struct writer writer;
	struct watch_sink sink;
	size_t code_count; /* number of the watch's code objects that are written */
	unsigned maps_count;
	uint64_t now, before; /* ticks of this observation and the one before */
	uint64_t *modules;    /* hashes of those written */
	size_t module_count, module_capacity;
};

struct recorder_options {
	const struct watch_options *watch;
	const struct settings *settings;
	const char *directory;
	bool is_root;
	pid_t parent; /* a recorded process; 0 = none */
};

enum kymo_status recorder_open(struct recorder *recorder, pid_t pid,
			       const struct recorder_options *options, bool *may_appear_out,
			       struct problem *problem);
/* The same if the watch is open already; takes ownership in every case. */
enum kymo_status recorder_begin(struct recorder *recorder, const struct recorder_options *options,
				struct problem *problem);
enum watch_state recorder_observe(struct recorder *recorder);
/* rate: the achieved one, for the notes. */
void recorder_close(struct recorder *recorder, enum watch_state state, double rate,
		    double rate_asked);

#endif

/* Lines of the output of `perf script`: a line for each sample, lines for its frames. */
#ifndef KYMO_PERF_LINES_H
#define KYMO_PERF_LINES_H

#include "import/text_lines.h"

struct perf_sample { /* "app 12/34 [000] 1.5: 250000 cycles:u: …" */
	struct span command, event;
	uint64_t pid, tid; /* pid 0 = unknown */
	int64_t ns;
	double period;	  /* 1 if unknown */
	struct span rest; /* after the event: the frame of a sample without a chain */
};

struct perf_frame { /* "7f12 fib+0x12 (/usr/bin/app)" */
	struct span symbol, module;
};

bool perf_read_sample(struct span line, struct perf_sample *out);
bool perf_read_frame(struct span line, struct perf_frame *out);

#endif

/* Samples: modules, Python code, stacks and their times. */
#ifndef KYMO_FORMAT_SAMPLE_H
#define KYMO_FORMAT_SAMPLE_H

#include <stdint.h>

/* MODULES payload: a file that is mapped executable or contains static data, at the time it was
 * seen.  A later record may cover the same addresses. */
struct kymo_module {
	uint64_t start, end; /* addresses of all its segments */
	uint64_t bias;	     /* address = value in the file's symbol table + bias */
	uint64_t path;	     /* string reference */
	uint64_t build_id;   /* string reference of hexadecimal digits, 0 = none */
	uint64_t ticks;	     /* when it was seen */
	uint64_t name;	     /* string reference: the link by which it was requested, 0 = by path */
	uint64_t reserved;
};
_Static_assert(sizeof(struct kymo_module) == 64, "module record");

/* CODES payload; id = chunk.base + index.  A Python code object found by the sampler; one that
 * replaced another at the same address has an id of its own. */
struct kymo_code {
	uint64_t name;	   /* string references, 0 = could not be read */
	uint64_t qualname; /* from 3.11 on, else 0 */
	uint64_t file;
	uint64_t lines; /* string reference of the raw line table, 0 = none: only first is known */
	uint32_t first_line;
	uint16_t version; /* of the interpreter, major << 8 | minor: the form of lines */
	uint16_t flags;	  /* KYMO_CODE_* */
	uint64_t address;
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct kymo_code) == 64, "code record");

#define KYMO_CODE_GENERATOR 1u /* generator, coroutine or async generator */

/* STACKS payload; id = chunk.base + index, ids of one thread begin at 1.  A stack is identified
 * by its innermost frame; its callers are found through the parents, which have smaller ids. */
struct kymo_stack_node {
	uint64_t frame;	 /* see kymo_frame_kind() */
	uint32_t parent; /* id of the caller in the same thread, 0 = outermost */
	uint32_t reserved;
};
_Static_assert(sizeof(struct kymo_stack_node) == 16, "stack node");

/* A frame is one word; bits 62-63 are its kind. */
enum kymo_frame_kind {
	/* Bits 0-61: the program counter; in callers an address inside of the call. */
	KYMO_FRAME_NATIVE = 0,
	/* Bits 32-61: id of the code; bits 0-31: offset of the instruction in bytes, or
	 * KYMO_FRAME_NO_OFFSET. */
	KYMO_FRAME_PYTHON = 1,
	/* The thread was in a system call.  Bits 48-61: its number; bits 0-47: its first
	 * argument if that is an address (of a futex), or bits 0-31 a descriptor and 32-35 enum
	 * kymo_descriptor_kind. */
	KYMO_FRAME_KERNEL = 2,
	KYMO_FRAME_MARK = 3, /* bits 0-7: enum kymo_frame_mark */
};
#define KYMO_FRAME_NO_OFFSET 0xffffffffu
#define KYMO_FRAME_NO_CALL   0x3fffu /* a system call whose number is unknown */

enum kymo_frame_mark {
	KYMO_MARK_CUT = 1,	 /* further callers were dropped: the stack is too deep */
	KYMO_MARK_LOST = 2,	 /* further callers were not found: no rule, or not readable */
	KYMO_MARK_UNCERTAIN = 3, /* Python and native frames did not fit: order is a guess */
	KYMO_MARK_NO_STACK = 4,	 /* nothing of the stack is known */
};

enum kymo_descriptor_kind {
	KYMO_DESCRIPTOR_UNKNOWN = 0,
	KYMO_DESCRIPTOR_FILE = 1,
	KYMO_DESCRIPTOR_PIPE = 2,
	KYMO_DESCRIPTOR_SOCKET = 3,
	KYMO_DESCRIPTOR_TERMINAL = 4,
	KYMO_DESCRIPTOR_OTHER = 5, /* event descriptors, timers, devices */
};

static inline uint64_t kymo_frame(enum kymo_frame_kind kind, uint64_t content)
{
	return (uint64_t)kind << 62 | (content & ((UINT64_C(1) << 62) - 1));
}

static inline enum kymo_frame_kind kymo_frame_kind(uint64_t frame)
{
	return (enum kymo_frame_kind)(frame >> 62);
}

static inline uint64_t kymo_frame_content(uint64_t frame)
{
	return frame & ((UINT64_C(1) << 62) - 1);
}

/* SAMPLES payload: records of bytes, one after the other; numbers are unsigned LEB128.
 *   head byte      bits 0-2 enum kymo_sample_kind, bit 3 a CPU time follows, bits 4-5 enum
 *                  kymo_gil_state, bit 6 reserved, bit 7 a value follows
 *   number         sampled time in units of 1024 ticks, since that of the record before; the
 *                  first record of a chunk: since chunk.base
 *   number         id of the stack in the thread's STACKS, 0 = none; not in BEGIN and LOST
 *   [number]       CPU time of the thread since its sample of that kind before, or its BEGIN,
 *                  in units of 1024 ns
 *   [number]       OVERFLOW: events since then; LOST: samples not recorded
 * A sample stands for the time since the thread's sample of that kind, or its BEGIN, before:
 * readers weigh with that, so that shares are right whatever rate arrived. */
enum kymo_sample_kind {
	KYMO_SAMPLE_BEGIN = 0, /* sampling of this thread began, or was resumed after a pause */
	KYMO_SAMPLE_REALTIME = 1,
	KYMO_SAMPLE_CPUTIME = 2,
	KYMO_SAMPLE_OVERFLOW = 3,
	KYMO_SAMPLE_LOST = 4, /* value samples were lost before this */
	KYMO_SAMPLE_KINDS = 5,
};
#define KYMO_SAMPLE_HAS_CPU   8u
#define KYMO_SAMPLE_GIL_SHIFT 4
#define KYMO_SAMPLE_HAS_VALUE 0x80u
#define KYMO_SAMPLE_UNIT_BITS 10 /* units of 1024 ticks, and of 1024 ns */

enum kymo_gil_state {
	KYMO_GIL_UNKNOWN = 0, /* no Python in this thread, or unknown */
	KYMO_GIL_NOT_HELD = 1,
	KYMO_GIL_HELD = 2,
	KYMO_GIL_WAITED_FOR = 3,
};

#endif

/* A small piece of memory that looks like an interpreter's, for one version: what walks read
 * where there is no such interpreter, or none that would be in such a state. */
#ifndef KYMO_SYNTHETIC_PYTHON_H
#define KYMO_SYNTHETIC_PYTHON_H

#include "pystack/pystack.h"

#define SYNTHETIC_PYTHON_BASE 0x10000000u /* address of its first byte */
#define SYNTHETIC_PYTHON_SIZE (64u << 10)

struct synthetic_python {
	struct pyruntime runtime;
	struct pymemory memory;
	uint64_t thread; /* a thread state without frames */
	uint64_t next;	 /* address that is given out next */
	unsigned char bytes[SYNTHETIC_PYTHON_SIZE];
};

/* To 3.12 from the table; later ones from what synthetic_python_publish() publishes. */
void synthetic_python_init(struct synthetic_python *python, uint16_t version);

/* Zeroed room. */
uint64_t synthetic_python_room(struct synthetic_python *python, size_t size);
void synthetic_python_word(struct synthetic_python *python, uint64_t address, uint64_t value);
uint64_t synthetic_python_look(const struct synthetic_python *python, uint64_t address);
void synthetic_python_put(struct synthetic_python *python, uint64_t address, const void *bytes,
			  size_t size);

/* A code object with so many units of instructions, those before first being preparation. */
uint64_t synthetic_python_code(struct synthetic_python *python, unsigned units, unsigned first);
/* A frame at the offset of its code; KYMO_FRAME_NO_OFFSET = not started. */
uint64_t synthetic_python_frame(struct synthetic_python *python, uint64_t previous, uint64_t code,
				uint32_t offset);
/* A frame without code at an entry from C, from 3.12 on. */
uint64_t synthetic_python_shim(struct synthetic_python *python, uint64_t previous);
/* A cframe, 3.10 to 3.12. */
uint64_t synthetic_python_cframe(struct synthetic_python *python, uint64_t previous,
				 uint64_t current);
/* Make a frame (or cframe) the thread's innermost. */
void synthetic_python_run(struct synthetic_python *python, uint64_t innermost);

/* What 3.13, 3.14, 3.15 or a later version publishes behind the cookie. */
#define SYNTHETIC_PYTHON_WORDS 110
void synthetic_python_publish(uint32_t hexversion, uint64_t *words);

#endif

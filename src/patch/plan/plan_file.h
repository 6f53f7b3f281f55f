/* The file of a plan: the header, then sections at the offsets it gives, each aligned to 16 bytes,
 * the code and its unwind tables to pages, so that they can be mapped. */
#ifndef KYMO_PLAN_FILE_H
#define KYMO_PLAN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "patch/apply/patchabi.h"

#define PLAN_MAGIC	  "KYMOPLAN"
#define PLAN_VERSION	  12u
#define PLAN_BUILD_ID_MAX 32u
#define PLAN_PATCH_MAX	  5u /* a jump */

struct plan_header {
	char magic[8];
	uint32_t version;
	uint16_t machine;  /* EM_* */
	uint16_t cost;	   /* enum patch_cost */
	uint64_t size;	   /* of the whole file */
	uint64_t checksum; /* plan_checksum() */
	uint8_t build_id[PLAN_BUILD_ID_MAX];
	uint32_t build_id_size;		  /* 0: identity identifies the file */
	uint32_t variant;		  /* PLAN_VARIANT_* */
	uint64_t identity;		  /* hash of the file's size, time and inode */
	uint64_t image_start, image_end;  /* of all PT_LOAD segments, page bounds */
	uint64_t text_start, text_end;	  /* of what is written: the executable segments' bounds */
	uint64_t code_address, code_size; /* preferred address of the code; whole pages */
	uint64_t code_offset;		  /* in the plan */
	uint64_t vector_address;	  /* directly after the code */
	uint64_t switch_address;
	uint64_t functions_offset, function_count; /* struct plan_function, by address */
	uint64_t writes_offset, write_count;	   /* struct plan_write, by function */
	uint64_t fixups_offset, fixup_count; /* uint32_t: offsets in the code of 4-byte distances
					      * to the file's own text; aarch64: of b and adrp */
	uint64_t frames_offset, frames_size; /* .eh_frame of the code, for code_address */
	uint64_t header_offset, header_size; /* the .eh_frame_hdr that goes with it */
	uint64_t frames_address;	     /* address of frames in memory, followed by header */
	uint64_t names_offset, names_size;   /* texts with NUL */
	uint64_t owners_offset, owner_count; /* struct plan_owner, by offset */
	/* Names for the code, only for debuggers: ELF symbols, followed by their string table, at a
	 * page.  Both 0 = there are none. */
	uint64_t symbols_offset, symbols_size, symbol_texts_size;
	uint64_t reasons[32]; /* functions by enum plan_reason */
	/* With PLAN_VARIANT_THROTTLE; else there are none. */
	uint64_t copies_offset, copy_count; /* struct plan_copy, by function */
	uint64_t calls_offset, call_count;  /* struct plan_call, by copy, then address */
};

struct plan_function { /* index: its id less vector.first_id */
	uint64_t address;
	uint32_t size;
	uint32_t name; /* offset in names: as the symbol table has it; 0 = "" */
	uint32_t first_write;
	uint16_t write_count;
	uint8_t way;	/* enum plan_way */
	uint8_t reason; /* enum plan_reason */
	uint32_t instructions;
	uint16_t exits;
	uint16_t flags; /* PLAN_FUNCTION_* */
};
_Static_assert(sizeof(struct plan_function) == 32, "two functions a cache line");

struct plan_owner { /* which function the code from offset on belongs to, up to the next entry */
	uint32_t offset;
	uint32_t function; /* UINT32_MAX: several functions */
};

struct plan_write {
	uint32_t offset;     /* its address less text_start */
	uint8_t size;	     /* 1 to PLAN_PATCH_MAX */
	uint8_t distance_at; /* offset in after of a 4-byte distance to the code; 0 = none. aarch64:
			      * 0, after is a b */
	uint8_t before[PLAN_PATCH_MAX]; /* expected bytes */
	uint8_t after[PLAN_PATCH_MAX];
};
_Static_assert(sizeof(struct plan_write) == 16, "four writes a cache line");

static inline uint64_t plan_write_address(const struct plan_header *header,
					  const struct plan_write *write)
{
	return header->text_start + write->offset;
}

/* A replacement for a function while the program runs: its calls increment a word of the thread,
 * and are not observed otherwise. */
struct plan_copy {
	uint32_t function;
	uint32_t code;	     /* offset in the code */
	uint32_t counter_at; /* offset in the code of 4 bytes: the word's distance from the thread
			      * pointer, to be filled in before anything branches here */
	uint32_t first_call, call_count;
	uint32_t flags; /* PLAN_COPY_* */
};
#define PLAN_COPY_WHOLE 1u /* a copy of the whole function; else it continues in the original */
_Static_assert(sizeof(struct plan_copy) == 24, "copy record");

struct plan_call {	      /* of a function that has a copy, by an instruction of the file */
	uint32_t distance_at; /* of its 4-byte distance, in one cache line, from text_start */
};

#endif

/* What the files of rewriting share: the copy of the input that is changed, and the segment
 * that grows behind it.
 *
 * A work belongs to one rewrite_file(); nothing in it is kept.  Each step changes the copy in
 * place or adds to the segment.  One thread. */
#ifndef KYMO_REWRITEPARTS_H
#define KYMO_REWRITEPARTS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "patch/plan/plan.h"
#include "patch/rewrite/rewrite.h"

#define REWRITE_PAGE	     4096u
#define REWRITE_SECTIONS_NEW 3u

struct rewrite_block { /* of the file, moved into the segment: addresses before */
	uint64_t start, end;
	uint64_t to; /* address afterwards */
};

struct rewrite_work {
	const char *path;
	const struct plan *plan;
	unsigned char *bytes; /* the input, to end: private */
	size_t mapped, size; /* of the mapping; of what belongs to ELF: the rest is appended data */
	Elf64_Ehdr *ehdr;    /* in bytes */
	Elf64_Phdr *phdrs;   /* phdr_count, room for one more; written back at the end */
	size_t phdr_count;
	Elf64_Shdr *shdrs; /* section_count, room for REWRITE_SECTIONS_NEW; NULL = none */
	size_t section_count;
	const char *names; /* of sections */
	size_t names_size;
	size_t frames_section, header_section; /* index of .eh_frame and its header; 0 = none */
	uint64_t image_end;

	/* The segment. */
	unsigned char *segment;
	size_t used, capacity;
	uint64_t address; /* in memory, as linked */
	uint64_t offset;  /* in the file */
	size_t plan_offset, plan_size, tables_end;
	size_t phdrs_offset; /* of the program headers; 0 = where they were */
	size_t code_offset;  /* of the code, from the segment's start */
	size_t switch_offset;
	size_t frames_offset, frames_size, header_offset, header_size;
	int64_t moved; /* the code lies this far from where the plan has it */
	struct rewrite_block block;
	/* Behind the segment: names of sections, and their headers. */
	unsigned char *tail;
	size_t tail_size;
};

/* Map the file, check what all steps rely on, find its sections. */
enum kymo_status rewriteinput_open(struct rewrite_work *work, const char *path,
				   struct problem *problem);
void rewriteinput_close(struct rewrite_work *work);
/* The file's bytes for size bytes at an address; NULL = not there. */
unsigned char *rewriteinput_at(const struct rewrite_work *work, uint64_t address, uint64_t size);
bool rewriteinput_is_code(const struct rewrite_work *work, uint64_t address, uint64_t size);
/* The first program header of a type, NULL = none. */
Elf64_Phdr *rewriteinput_phdr(const struct rewrite_work *work, uint32_t type);
/* Not a program, whether with a loader or without. */
bool rewriteinput_is_library(const struct rewrite_work *work);

/* Room for size bytes at the segment's end, zeroed; its offset, SIZE_MAX = out of memory. */
size_t rewritesegment_add(struct rewrite_work *work, const void *bytes, size_t size, size_t align);
/* The plan's tables and code, as they are for where they are now. */
enum kymo_status rewritesegment_tables(struct rewrite_work *work, const uint8_t *choice,
				       struct problem *problem);
enum kymo_status rewritesegment_code(struct rewrite_work *work, struct problem *problem);
/* Into the text: the writes of the functions that choice takes. */
void rewritesegment_write(struct rewrite_work *work, uint8_t *choice,
			  struct rewrite_result *result);

/* The file's unwind tables and those of the code as one, in the segment. */
enum kymo_status rewriteframes_merge(struct rewrite_work *work, struct problem *problem);

/* Make room for one more program header where the others are, by moving what follows them. */
enum kymo_status rewritetables_reserve(struct rewrite_work *work, struct problem *problem);
/* The segment's program header and sections, once its size is known. */
enum kymo_status rewritetables_finish(struct rewrite_work *work, struct problem *problem);

#endif

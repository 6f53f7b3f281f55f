/* A file that is being rewritten: the copy of the input that is changed, and the new segment.
 *
 * A work belongs to one rewrite_file() and ends with it.  Each step changes the copy in place or
 * adds to the segment.  One thread. */
#ifndef KYMO_REWRITE_WORK_H
#define KYMO_REWRITE_WORK_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "patch/plan/plan.h"

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
	size_t mapped, size;  /* size of the mapping; of the ELF part: the rest is appended data */
	Elf64_Ehdr *ehdr;     /* in bytes */
	Elf64_Phdr *phdrs;    /* phdr_count, space for one more; written back at the end */
	size_t phdr_count;
	Elf64_Shdr *shdrs; /* section_count, space for REWRITE_SECTIONS_NEW; NULL = none */
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
	size_t phdrs_offset; /* offset of the program headers; 0 = where they were */
	size_t code_offset;  /* of the code, from the segment's start */
	size_t switch_offset;
	size_t frames_offset, frames_size, header_offset, header_size;
	int64_t moved; /* distance of the code from its address in the plan */
	struct rewrite_block block;
	/* After the segment: names of sections, and their headers. */
	unsigned char *tail;
	size_t tail_size;
};

#endif

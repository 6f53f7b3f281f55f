/* The input of rewriting: a private copy of the file, checked, with its headers found.  Results
 * point into the copy, which rewriteinput_close() frees. */
#ifndef KYMO_REWRITEINPUT_H
#define KYMO_REWRITEINPUT_H

#include "patch/rewrite/rewrite_work.h"

/* Map the file, check what all steps rely on, find its sections. */
enum kymo_status rewriteinput_open(struct rewrite_work *work, const char *path,
				   struct problem *problem);
void rewriteinput_close(struct rewrite_work *work);
/* The file's bytes, size of them, at an address; NULL = not in the file. */
unsigned char *rewriteinput_at(const struct rewrite_work *work, uint64_t address, uint64_t size);
bool rewriteinput_is_code(const struct rewrite_work *work, uint64_t address, uint64_t size);
/* The first program header of a type, NULL = none. */
Elf64_Phdr *rewriteinput_phdr(const struct rewrite_work *work, uint32_t type);
/* A shared library rather than a program with or without an interpreter. */
bool rewriteinput_is_library(const struct rewrite_work *work);

#endif

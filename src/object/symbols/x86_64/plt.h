/* What a stub of an x86-64 procedure linkage table jumps through.  The bytes may be hostile. */
#ifndef KYMO_PLT_X86_64_H
#define KYMO_PLT_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address of the slot that holds the function's address: "jmp *slot(%rip)". */
bool plt_x86_64_slot(const unsigned char *code, size_t size, uint64_t address, uint64_t *slot_out);

/* The index of its relocation, of stubs that only call the loader: "push $number". */
bool plt_x86_64_number(const unsigned char *code, size_t size, uint32_t *number_out);

#endif

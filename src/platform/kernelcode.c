/* Looking a name up in the vDSO, which is an ELF file in memory, without the loader, which may
 * not have it in its list.  Addresses in its dynamic section are not relocated. */
#include "platform/kernelcode.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dynamic {
	uintptr_t bias; /* to add to addresses as linked */
	const ElfW(Sym) * symbols;
	const char *names;
	const uint32_t *hash;	  /* the older table, with the number of symbols */
	const uint32_t *gnu_hash; /* the newer one; one of both exists */
};

static const void *at(const struct dynamic *dynamic, ElfW(Addr) address)
{
	return (const void *)(dynamic->bias + address);
}

static void kernelcode_read_dynamic(struct dynamic *dynamic, const ElfW(Dyn) * entry)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			dynamic->symbols = at(dynamic, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			dynamic->names = at(dynamic, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_HASH)
			dynamic->hash = at(dynamic, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_GNU_HASH)
			dynamic->gnu_hash = at(dynamic, entry->d_un.d_ptr);
	}
}

/* Number of bucket words, first symbol with a hash, words of the filter, shift; the filter, the
 * buckets, and a word for each symbol whose lowest bit ends a chain. */
static uint32_t kernelcode_count_by_gnu_hash(const uint32_t *hash)
{
	const uint32_t *buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	const uint32_t *chains = buckets + hash[0];
	uint32_t last = 0;

	for (uint32_t i = 0; i < hash[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < hash[1])
		return hash[1];
	while (!(chains[last - hash[1]] & 1))
		last++;
	return last + 1;
}

static uint32_t kernelcode_symbol_count(const struct dynamic *dynamic)
{
	if (dynamic->hash)
		return dynamic->hash[1];
	return dynamic->gnu_hash ? kernelcode_count_by_gnu_hash(dynamic->gnu_hash) : 0;
}

static void read_headers(struct dynamic *dynamic, const ElfW(Ehdr) * header)
{
	const ElfW(Phdr) *part = (const void *)((const char *)header + header->e_phoff);
	const ElfW(Dyn) *entries = NULL;

	for (int i = 0; i < header->e_phnum; i++) {
		if (part[i].p_type == PT_LOAD && dynamic->bias == 0)
			dynamic->bias = (uintptr_t)header + part[i].p_offset - part[i].p_vaddr;
		else if (part[i].p_type == PT_DYNAMIC)
			entries = (const void *)((const char *)header + part[i].p_offset);
	}
	if (entries)
		kernelcode_read_dynamic(dynamic, entries);
}

/* Not strcmp(): in a program with a sanitizer that is the sanitizer's, which may not be ready when
 * a constructor reads a clock. */
static bool kernelcode_is_name(const char *text, const char *name)
{
	while (*text && *text == *name) {
		text++;
		name++;
	}
	return *text == *name;
}

void *kernelcode_find(const void *base, const char *name)
{
	struct dynamic dynamic = {0};

	if (!base || memcmp(base, ELFMAG, SELFMAG) != 0)
		return NULL;
	read_headers(&dynamic, base);
	if (!dynamic.symbols || !dynamic.names)
		return NULL;
	for (uint32_t i = 0, count = kernelcode_symbol_count(&dynamic); i < count; i++) {
		const ElfW(Sym) *symbol = &dynamic.symbols[i];

		if (symbol->st_shndx != SHN_UNDEF &&
		    kernelcode_is_name(dynamic.names + symbol->st_name, name))
			return (void *)(dynamic.bias + symbol->st_value);
	}
	return NULL;
}

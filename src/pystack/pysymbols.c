/* A module's dynamic symbols by its GNU hash table, as the loader itself looks them up: first the
 * Bloom filter, which rejects nearly all modules, then the chain of a bucket. */
#include "pystack/pysymbols.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "platform/readable.h"

#define NAME_MAX_BYTES 40u
#define SEGMENTS_MAX   32u
#define DYNAMIC_MAX    128u
#define CHAIN_MAX      4096u
#define WORD_BITS      64u

struct module {
	uint64_t start, bias;
	uint64_t hash, symbols, strings; /* addresses of the tables */
	struct {
		uint32_t buckets, first, words, shift;
	} head;
};

static bool find_dynamic(const struct module *module, uint64_t *address_out, uint64_t *size_out)
{
	ElfW(Phdr) segments[SEGMENTS_MAX];
	ElfW(Ehdr) header;
	unsigned count;

	if (!readable_copy(module->start, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(*segments))
		return false;
	count = header.e_phnum < SEGMENTS_MAX ? header.e_phnum : SEGMENTS_MAX;
	if (!readable_copy(module->start + header.e_phoff, segments, count * sizeof(*segments)))
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (segments[i].p_type != PT_DYNAMIC)
			continue;
		*address_out = module->bias + segments[i].p_vaddr;
		*size_out = segments[i].p_memsz;
		return true;
	}
	return false;
}

/* The loader has relocated the entries of some modules, and left others as in the file. */
static uint64_t as_address(const struct module *module, uint64_t value)
{
	return value < module->bias ? value + module->bias : value;
}

static bool pysymbols_find_tables(struct module *module)
{
	ElfW(Dyn) entries[DYNAMIC_MAX];
	uint64_t address, size;

	if (!find_dynamic(module, &address, &size))
		return false;
	if (size > sizeof(entries))
		size = sizeof(entries);
	if (!readable_copy(address, entries, size))
		return false;
	for (size_t i = 0; i < size / sizeof(*entries) && entries[i].d_tag != DT_NULL; i++) {
		uint64_t value = as_address(module, entries[i].d_un.d_ptr);

		if (entries[i].d_tag == DT_GNU_HASH)
			module->hash = value;
		else if (entries[i].d_tag == DT_SYMTAB)
			module->symbols = value;
		else if (entries[i].d_tag == DT_STRTAB)
			module->strings = value;
	}
	return module->hash && module->symbols && module->strings &&
	       readable_copy(module->hash, &module->head, sizeof(module->head)) &&
	       module->head.buckets > 0 && module->head.words > 0 && module->head.shift < 32;
}

static uint32_t pysymbols_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool may_have(const struct module *module, uint32_t hash)
{
	uint64_t at = module->hash + sizeof(module->head), word;

	at += hash / WORD_BITS % module->head.words * sizeof(word);
	return readable_copy(at, &word, sizeof(word)) && (word >> hash % WORD_BITS & 1) &&
	       (word >> (hash >> module->head.shift) % WORD_BITS & 1);
}

/* Address of the symbol with that index, if it has the name and is defined; else 0. */
static uint64_t symbol_named(const struct module *module, uint32_t index, const char *name)
{
	char bytes[NAME_MAX_BYTES];
	size_t size = strlen(name) + 1;
	ElfW(Sym) symbol;

	if (size > sizeof(bytes) ||
	    !readable_copy(module->symbols + index * sizeof(symbol), &symbol, sizeof(symbol)) ||
	    symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 ||
	    !readable_copy(module->strings + symbol.st_name, bytes, size) ||
	    memcmp(bytes, name, size) != 0)
		return 0;
	return module->bias + symbol.st_value;
}

static uint64_t find_symbol(const struct module *module, const char *name)
{
	uint32_t hash = pysymbols_hash_of(name), index, entry;
	uint64_t buckets, chains, address;

	if (!may_have(module, hash))
		return 0;
	buckets = module->hash + sizeof(module->head) + module->head.words * sizeof(uint64_t);
	chains = buckets + module->head.buckets * sizeof(uint32_t);
	if (!readable_copy(buckets + hash % module->head.buckets * sizeof(index), &index,
			   sizeof(index)) ||
	    index < module->head.first)
		return 0;
	for (unsigned count = 0; count < CHAIN_MAX; count++, index++) {
		if (!readable_copy(chains + (index - module->head.first) * sizeof(entry), &entry,
				   sizeof(entry)))
			return 0;
		address = (entry | 1) == (hash | 1) ? symbol_named(module, index, name) : 0;
		if (address || (entry & 1))
			return address;
	}
	return 0;
}

bool pysymbols_find(uint64_t start, uint64_t bias, const char *const *names, size_t count,
		    uint64_t *addresses)
{
	struct module module = {.start = start, .bias = bias};

	if (!pysymbols_find_tables(&module))
		return false;
	for (size_t i = 0; i < count; i++) {
		addresses[i] = find_symbol(&module, names[i]);
		if (i == 0 && !addresses[0])
			return false;
	}
	return true;
}

/* The tables that the loader uses, found by PT_DYNAMIC: present also in stripped files and in those
 * without sections. */
#include "patch/analyse/file/patchdynamic.h"

#include <string.h>

#define VERSIONS_MAX 256u /* of one file, and files: the rest is ignored */

/* count items of item_size at an address, or fewer where the segment ends; NULL = not in the
 * file. */
static const void *table_at(const struct patch_module *module, uint64_t address, uint64_t item_size,
			    uint64_t *count)
{
	uint64_t count_max = patchmodule_left(module, address) / item_size;
	const unsigned char *bytes;

	if (*count > count_max)
		*count = count_max;
	bytes = *count ? patchmodule_at(module, address, *count * item_size) : NULL;
	if (!bytes || (uintptr_t)bytes % 8 != 0) {
		*count = 0;
		return NULL;
	}
	return bytes;
}

/* The number of symbols is stated only by the hash tables. */
static uint64_t count_by_hash(const struct patch_module *module, uint64_t address)
{
	const unsigned char *bytes = patchmodule_at(module, address, 8);
	uint32_t words[2];

	if (!bytes)
		return 0;
	memcpy(words, bytes, sizeof(words));
	return words[1];
}

static uint32_t word_at(const unsigned char *bytes, uint64_t index)
{
	uint32_t word;

	memcpy(&word, bytes + index * 4, sizeof(word));
	return word;
}

static uint64_t patchdynamic_count_by_gnu_hash(const struct patch_module *module, uint64_t address)
{
	uint64_t words = patchmodule_left(module, address) / 4, buckets, first, chains, last = 0;
	const unsigned char *bytes = patchmodule_at(module, address, words * 4);

	if (!bytes || words < 4)
		return 0;
	buckets = 4 + (uint64_t)word_at(bytes, 2) * 2;
	chains = buckets + word_at(bytes, 0);
	first = word_at(bytes, 1);
	if (chains > words)
		return 0;
	for (uint64_t i = buckets; i < chains; i++)
		if (word_at(bytes, i) > last)
			last = word_at(bytes, i);
	if (last < first)
		return first;
	for (uint64_t at = chains + (last - first); at < words; at++, last++)
		if (word_at(bytes, at) & 1)
			return last + 1;
	return 0;
}

struct entries { /* of PT_DYNAMIC, by tag */
	uint64_t symbols, texts, texts_size, hash, gnu_hash, rela, rela_size, plt, plt_size, relr,
		relr_size, init, fini, versions, needs;
};

static void patchdynamic_take_entry(struct entries *entries, const Elf64_Dyn *entry)
{
	const struct {
		int64_t tag;
		uint64_t *value;
	} known[] = {
		{DT_SYMTAB, &entries->symbols},
		{DT_STRTAB, &entries->texts},
		{DT_STRSZ, &entries->texts_size},
		{DT_HASH, &entries->hash},
		{DT_GNU_HASH, &entries->gnu_hash},
		{DT_RELA, &entries->rela},
		{DT_RELASZ, &entries->rela_size},
		{DT_JMPREL, &entries->plt},
		{DT_PLTRELSZ, &entries->plt_size},
		{36 /* DT_RELR */, &entries->relr},
		{35 /* DT_RELRSZ */, &entries->relr_size},
		{DT_INIT, &entries->init},
		{DT_FINI, &entries->fini},
		{DT_VERSYM, &entries->versions},
		{DT_VERNEED, &entries->needs},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].tag == entry->d_tag)
			*known[i].value = entry->d_un.d_val;
}

static bool find_entries(const struct patch_module *module, struct entries *entries)
{
	bool is_found = false;

	memset(entries, 0, sizeof(*entries));
	for (size_t i = 0; i < module->ehdr->e_phnum; i++) {
		const Elf64_Phdr *header = patchmodule_header(module, i);
		uint64_t count = header->p_filesz / sizeof(Elf64_Dyn);
		const Elf64_Dyn *table;

		if (header->p_type != PT_DYNAMIC)
			continue;
		table = table_at(module, header->p_vaddr, sizeof(*table), &count);
		for (uint64_t at = 0; at < count && table[at].d_tag != DT_NULL; at++)
			patchdynamic_take_entry(entries, &table[at]);
		is_found = true;
	}
	return is_found;
}

static void take_relocations(const struct patch_module *module, const struct entries *entries,
			     struct patch_dynamic *out)
{
	out->relocation_counts[0] = entries->rela_size / sizeof(Elf64_Rela);
	out->relocation_counts[1] = entries->plt_size / sizeof(Elf64_Rela);
	out->relocations[0] =
		table_at(module, entries->rela, sizeof(Elf64_Rela), &out->relocation_counts[0]);
	out->relocations[1] =
		table_at(module, entries->plt, sizeof(Elf64_Rela), &out->relocation_counts[1]);
}

/* Hash tables omit undefined symbols: in a program that exports nothing, all symbols are
 * undefined. */
static void count_by_relocations(struct patch_dynamic *out)
{
	for (unsigned table = 0; table < 2; table++)
		for (uint64_t i = 0; i < out->relocation_counts[table]; i++) {
			uint64_t index = ELF64_R_SYM(out->relocations[table][i].r_info);

			if (index >= out->symbol_count)
				out->symbol_count = index + 1;
		}
}

void patchdynamic_read(const struct patch_module *module, struct patch_dynamic *out)
{
	struct entries entries;

	memset(out, 0, sizeof(*out));
	if (!find_entries(module, &entries))
		return;
	take_relocations(module, &entries, out);
	out->symbol_count = entries.gnu_hash
				    ? patchdynamic_count_by_gnu_hash(module, entries.gnu_hash)
				    : count_by_hash(module, entries.hash);
	count_by_relocations(out);
	out->symbols = table_at(module, entries.symbols, sizeof(*out->symbols), &out->symbol_count);
	out->texts_size = entries.texts_size;
	out->texts = (const char *)patchmodule_at(module, entries.texts, entries.texts_size);
	if (!out->texts)
		out->texts_size = 0;
	out->packed_count = entries.relr_size / sizeof(uint64_t);
	out->packed = table_at(module, entries.relr, sizeof(uint64_t), &out->packed_count);
	out->versions = entries.versions;
	out->needs = entries.needs;
	out->init = entries.init;
	out->fini = entries.fini;
}

/* The records of files are consecutive; each has a list of versions. */
const char *patchdynamic_version(const struct patch_module *module,
				 const struct patch_dynamic *dynamic, uint64_t symbol)
{
	const unsigned char *bytes;
	uint64_t at = dynamic->needs;
	uint16_t wanted;

	bytes = dynamic->versions ? patchmodule_at(module, dynamic->versions + symbol * 2, 2)
				  : NULL;
	if (!bytes || !at)
		return "";
	memcpy(&wanted, bytes, sizeof(wanted));
	wanted &= 0x7fff;
	for (unsigned files = 0; files < VERSIONS_MAX; files++) {
		uint64_t inner;
		Elf64_Verneed need;

		if (!(bytes = patchmodule_at(module, at, sizeof(need))))
			return "";
		memcpy(&need, bytes, sizeof(need));
		inner = at + need.vn_aux;
		for (unsigned i = 0; i < need.vn_cnt && i < VERSIONS_MAX; i++) {
			Elf64_Vernaux version;

			if (!(bytes = patchmodule_at(module, inner, sizeof(version))))
				return "";
			memcpy(&version, bytes, sizeof(version));
			if ((version.vna_other & 0x7fff) == wanted)
				return patchmodule_text(dynamic->texts, dynamic->texts_size,
							version.vna_name);
			if (version.vna_next == 0)
				break;
			inner += version.vna_next;
		}
		if (need.vn_next == 0)
			return "";
		at += need.vn_next;
	}
	return "";
}

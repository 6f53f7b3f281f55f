/* An ELF object in memory that debuggers read: the unwind tables of trampolines, and their names.
 *
 * It is like a relocatable object with the addresses of its sections filled in; the sections are
 * already in memory: only its headers are made, in the vector's page.  Its offsets are relative to
 * them. */
#include "patch/apply/patchapply_object.h"

#include <elf.h>

#include "patch/apply/patchapplied.h"
#include "platform/code/rawmemory.h"

enum {
	SECTION_NONE,
	SECTION_TEXT,
	SECTION_FRAMES,
	SECTION_TEXTS,
	SECTION_SYMBOLS,
	SECTION_STRINGS,
	SECTION_COUNT
};

struct object {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTION_COUNT];
	char names[48];
};
_Static_assert(PATCH_OBJECT_AT + sizeof(struct object) <= PATCH_VECTOR_SIZE,
	       "it fits in the vector's page");

#define NAME_TEXT    1u
#define NAME_FRAMES  7u
#define NAME_TEXTS   17u
#define NAME_SYMBOLS 27u
#define NAME_STRINGS 35u
static const char names[] = "\0.text\0.eh_frame\0.shstrtab\0.symtab\0.strtab";

static void object_fill_header(Elf64_Ehdr *header)
{
	static const unsigned char ident[EI_NIDENT] = {
		0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE,
	};

	raw_copy(header->e_ident, ident, sizeof(ident));
	header->e_type = ET_REL;
	header->e_version = EV_CURRENT;
	header->e_shoff = offsetof(struct object, sections);
	header->e_ehsize = sizeof(*header);
	header->e_shentsize = sizeof(Elf64_Shdr);
	header->e_shnum = SECTION_COUNT;
	header->e_shstrndx = SECTION_TEXTS;
}

static void fill_section(Elf64_Shdr *section, uint32_t name, uint32_t type, uint64_t flags)
{
	section->sh_name = name;
	section->sh_type = type;
	section->sh_flags = flags;
	section->sh_addralign = 1;
}

/* All symbols are local: sh_info is their number. */
static void fill_symbols(const struct patch_applied *applied, uint64_t start, Elf64_Shdr sections[])
{
	const struct plan_header *header = applied->plan.header;
	Elf64_Shdr *symbols = &sections[SECTION_SYMBOLS], *strings = &sections[SECTION_STRINGS];

	if (!applied->symbols)
		return;
	fill_section(symbols, NAME_SYMBOLS, SHT_SYMTAB, 0);
	symbols->sh_offset = (uint64_t)(uintptr_t)applied->symbols - start;
	symbols->sh_size = header->symbols_size;
	symbols->sh_entsize = sizeof(Elf64_Sym);
	symbols->sh_link = SECTION_STRINGS;
	symbols->sh_info = (uint32_t)(header->symbols_size / sizeof(Elf64_Sym));
	fill_section(strings, NAME_STRINGS, SHT_STRTAB, 0);
	strings->sh_offset = symbols->sh_offset + header->symbols_size;
	strings->sh_size = header->symbol_texts_size;
}

static void fill_sections(const struct patch_applied *applied, uint64_t start,
			  Elf64_Shdr sections[])
{
	const struct plan_header *header = applied->plan.header;
	Elf64_Shdr *text = &sections[SECTION_TEXT], *frames = &sections[SECTION_FRAMES],
		   *texts = &sections[SECTION_TEXTS];

	fill_section(text, NAME_TEXT, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR);
	text->sh_addr = applied->code;
	text->sh_size = header->code_size;
	fill_section(frames, NAME_FRAMES, SHT_PROGBITS, SHF_ALLOC);
	frames->sh_addr = (uint64_t)(uintptr_t)applied->frames;
	frames->sh_offset = frames->sh_addr - start;
	frames->sh_size = header->frames_size;
	fill_section(texts, NAME_TEXTS, SHT_STRTAB, 0);
	texts->sh_offset = offsetof(struct object, names);
	texts->sh_size = sizeof(names);
}

void patchapply_object(struct patch_applied *applied)
{
	struct object *object = (struct object *)((char *)applied->vector + PATCH_OBJECT_AT);
	uint64_t start = (uint64_t)(uintptr_t)object;

	if (!applied->frames)
		return;
	object_fill_header(&object->header);
	object->header.e_machine = applied->plan.header->machine;
	fill_sections(applied, start, object->sections);
	fill_symbols(applied, start, object->sections);
	raw_copy(object->names, names, sizeof(names));
	applied->object = object;
	applied->object_size = applied->code_end - start;
}

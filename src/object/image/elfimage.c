/* Tables are found by the section headers; in an image read from memory, which has none, by the
 * dynamic segment. */
#include "object/image/elfimage.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/processor.h"

#define PAGE	     4096u
#define SEGMENTS_MAX 256u

/* size bytes at offset, NULL if the file does not have them. */
static const void *elfimage_bytes_at(const struct elfimage *image, uint64_t offset, uint64_t size)
{
	if (offset > image->size || size > image->size - offset)
		return NULL;
	return image->data + offset;
}

static const Elf64_Ehdr *elfimage_header_of(const struct elfimage *image)
{
	return (const Elf64_Ehdr *)image->data;
}

/* Segment i, copied: tables need not be aligned. */
static bool segment_at(const struct elfimage *image, unsigned i, Elf64_Phdr *out)
{
	const Elf64_Ehdr *header = elfimage_header_of(image);
	const void *bytes;

	if (i >= header->e_phnum || i >= SEGMENTS_MAX)
		return false;
	bytes = elfimage_bytes_at(image, header->e_phoff + (uint64_t)i * sizeof(*out),
				  sizeof(*out));
	if (bytes)
		memcpy(out, bytes, sizeof(*out));
	return bytes != NULL;
}

static bool section_at(const struct elfimage *image, unsigned i, Elf64_Shdr *out)
{
	const Elf64_Ehdr *header = elfimage_header_of(image);
	const void *bytes;

	if (i >= header->e_shnum || header->e_shentsize != sizeof(*out) || header->e_shoff == 0)
		return false;
	bytes = elfimage_bytes_at(image, header->e_shoff + (uint64_t)i * sizeof(*out),
				  sizeof(*out));
	if (bytes)
		memcpy(out, bytes, sizeof(*out));
	return bytes != NULL;
}

/* File offset of an address in its segments; false: in none. */
static bool elfimage_offset_of(const struct elfimage *image, uint64_t address, uint64_t *offset_out,
			       uint64_t *left_out)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; segment_at(image, i, &segment); i++) {
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset_out = segment.p_offset + (address - segment.p_vaddr);
		*left_out = segment.p_filesz - (address - segment.p_vaddr);
		return true;
	}
	return false;
}

static uint64_t elfimage_padded(uint64_t size)
{
	return (size + 3) & ~UINT64_C(3);
}

static bool elfimage_take_build_id(struct elfimage *image, const unsigned char *notes,
				   uint64_t size)
{
	static const char digits[] = "0123456789abcdef";
	Elf64_Nhdr note;

	for (uint64_t at = 0; size - at >= sizeof(note);) {
		uint64_t name = at + sizeof(note), id;

		memcpy(&note, notes + at, sizeof(note));
		id = name + elfimage_padded(note.n_namesz);
		if (id + elfimage_padded(note.n_descsz) > size)
			return false;
		at = id + elfimage_padded(note.n_descsz);
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0 ||
		    note.n_descsz > ELFIMAGE_BUILD_ID_MAX)
			continue;
		for (uint32_t i = 0; i < note.n_descsz; i++) {
			image->build_id[2 * i] = digits[notes[id + i] >> 4];
			image->build_id[2 * i + 1] = digits[notes[id + i] & 15];
		}
		return true;
	}
	return false;
}

static void elfimage_find_build_id(struct elfimage *image)
{
	Elf64_Phdr segment;
	const void *notes;

	for (unsigned i = 0; segment_at(image, i, &segment); i++) {
		if (segment.p_type != PT_NOTE)
			continue;
		notes = elfimage_bytes_at(image, segment.p_offset, segment.p_filesz);
		if (notes && elfimage_take_build_id(image, notes, segment.p_filesz))
			return;
	}
}

static bool elfimage_is_native(const struct elfimage *image)
{
	const Elf64_Ehdr *header = elfimage_header_of(image);

	return image->size >= sizeof(*header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == PROCESSOR_MACHINE &&
	       header->e_phentsize == sizeof(Elf64_Phdr);
}

static struct elfimage *image_new(const void *data, size_t size, bool is_mapped)
{
	struct elfimage *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	*image = (struct elfimage){.data = data, .size = size, .is_mapped = is_mapped};
	if (!elfimage_is_native(image)) {
		free(image);
		return NULL;
	}
	elfimage_find_build_id(image);
	return image;
}

struct elfimage *elfimage_open(int file)
{
	struct stat status;
	struct elfimage *image;
	void *data;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_size < (off_t)sizeof(Elf64_Ehdr))
		return NULL;
	data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (data == MAP_FAILED)
		return NULL;
	image = image_new(data, (size_t)status.st_size, true);
	if (!image)
		munmap(data, (size_t)status.st_size);
	return image;
}

struct elfimage *elfimage_from_bytes(unsigned char *bytes, size_t size)
{
	struct elfimage *image = image_new(bytes, size, false);

	if (!image)
		free(bytes);
	return image;
}

void elfimage_free(struct elfimage *image)
{
	if (!image)
		return;
	if (image->is_mapped)
		munmap((void *)(uintptr_t)image->data, image->size);
	else
		free((void *)(uintptr_t)image->data);
	free(image);
}

bool elfimage_span(const struct elfimage *image, uint64_t *low_out, uint64_t *high_out)
{
	uint64_t low = UINT64_MAX, high = 0;
	Elf64_Phdr segment;

	for (unsigned i = 0; segment_at(image, i, &segment); i++) {
		if (segment.p_type != PT_LOAD)
			continue;
		if (segment.p_vaddr < low)
			low = segment.p_vaddr;
		if (segment.p_vaddr + segment.p_memsz > high)
			high = segment.p_vaddr + segment.p_memsz;
	}
	if (high <= low)
		return false;
	*low_out = low & ~(uint64_t)(PAGE - 1);
	*high_out = high;
	return true;
}

struct table {
	const unsigned char *symbols;
	uint64_t count;
	const char *names;
	uint64_t names_size;
};

static void elfimage_match(const struct table *table, const Elf64_Sym *symbol,
			   struct elfimage_name *names, size_t count)
{
	const char *text = table->names + symbol->st_name;
	uint64_t left = table->names_size - symbol->st_name;

	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i].name);

		if (names[i].value || length >= left ||
		    memcmp(text, names[i].name, length + 1) != 0)
			continue;
		names[i].value = symbol->st_value;
		names[i].size = symbol->st_size;
	}
}

static void elfimage_search(const struct table *table, struct elfimage_name *names, size_t count)
{
	Elf64_Sym symbol;

	for (uint64_t i = 0; i < table->count; i++) {
		memcpy(&symbol, table->symbols + i * sizeof(symbol), sizeof(symbol));
		if (symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 &&
		    symbol.st_name < table->names_size)
			elfimage_match(table, &symbol, names, count);
	}
}

static bool table_of_section(const struct elfimage *image, const Elf64_Shdr *section,
			     struct table *out)
{
	Elf64_Shdr names;

	if (section->sh_entsize != sizeof(Elf64_Sym) ||
	    !section_at(image, section->sh_link, &names))
		return false;
	out->symbols = elfimage_bytes_at(image, section->sh_offset, section->sh_size);
	out->count = section->sh_size / sizeof(Elf64_Sym);
	out->names = elfimage_bytes_at(image, names.sh_offset, names.sh_size);
	out->names_size = names.sh_size;
	return out->symbols && out->names && out->names_size > 0;
}

/* Value of an entry of the dynamic segment, as a file offset. */
static bool dynamic_offset(const struct elfimage *image, int64_t tag, uint64_t *offset_out,
			   uint64_t *left_out)
{
	Elf64_Phdr segment;
	Elf64_Dyn entry;
	const void *bytes;

	for (unsigned i = 0; segment_at(image, i, &segment); i++) {
		if (segment.p_type != PT_DYNAMIC)
			continue;
		for (uint64_t at = 0; at + sizeof(entry) <= segment.p_filesz; at += sizeof(entry)) {
			bytes = elfimage_bytes_at(image, segment.p_offset + at, sizeof(entry));
			if (!bytes)
				return false;
			memcpy(&entry, bytes, sizeof(entry));
			if (entry.d_tag == tag)
				return elfimage_offset_of(image, entry.d_un.d_ptr, offset_out,
							  left_out) ||
				       elfimage_offset_of(image, entry.d_un.d_ptr - image->bias,
							  offset_out, left_out);
		}
	}
	return false;
}

/* The symbols directly precede their names, as every linker places them: that bounds their
 * number. */
static bool table_of_segment(const struct elfimage *image, struct table *out)
{
	uint64_t symbols, names, left, names_left;

	if (!dynamic_offset(image, DT_SYMTAB, &symbols, &left) ||
	    !dynamic_offset(image, DT_STRTAB, &names, &names_left) || names <= symbols)
		return false;
	if (left > names - symbols)
		left = names - symbols;
	out->symbols = elfimage_bytes_at(image, symbols, left);
	out->count = left / sizeof(Elf64_Sym);
	out->names = elfimage_bytes_at(image, names, names_left);
	out->names_size = names_left;
	return out->symbols && out->names && out->names_size > 0;
}

void elfimage_symbols(const struct elfimage *image, struct elfimage_name *names, size_t count)
{
	struct table table;
	Elf64_Shdr section;
	bool has_sections = false;

	for (unsigned i = 0; section_at(image, i, &section); i++) {
		if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB)
			continue;
		has_sections = true;
		if (table_of_section(image, &section, &table))
			elfimage_search(&table, names, count);
	}
	if (!has_sections && table_of_segment(image, &table))
		elfimage_search(&table, names, count);
}

bool elfimage_section(const struct elfimage *image, const char *name, struct elfimage_section *out)
{
	Elf64_Shdr names, section;
	const char *texts, *text;
	size_t size = strlen(name) + 1;

	if (!section_at(image, elfimage_header_of(image)->e_shstrndx, &names))
		return false;
	texts = elfimage_bytes_at(image, names.sh_offset, names.sh_size);
	for (unsigned i = 0; texts && section_at(image, i, &section); i++) {
		if (section.sh_name >= names.sh_size || names.sh_size - section.sh_name < size)
			continue;
		text = texts + section.sh_name;
		if (memcmp(text, name, size) != 0)
			continue;
		out->address = section.sh_addr;
		out->size = section.sh_size;
		out->bytes = section.sh_type == SHT_NOBITS
				     ? NULL
				     : elfimage_bytes_at(image, section.sh_offset, section.sh_size);
		return true;
	}
	return false;
}

/* Address of .eh_frame, by .eh_frame_hdr in the form that all linkers write. */
static bool frames_address(const struct elfimage_section *header, uint64_t *out)
{
	int32_t distance;

	if (header->size < 8 || header->bytes[0] != 1 || header->bytes[1] != 0x1b)
		return false;
	memcpy(&distance, header->bytes + 4, sizeof(distance));
	*out = header->address + 4 + (uint64_t)(int64_t)distance;
	return true;
}

bool elfimage_unwind(const struct elfimage *image, struct elfimage_section *header,
		     struct elfimage_section *frames)
{
	uint64_t offset, left;
	Elf64_Phdr segment;

	*header = (struct elfimage_section){0};
	for (unsigned i = 0; segment_at(image, i, &segment); i++)
		if (segment.p_type == PT_GNU_EH_FRAME)
			*header = (struct elfimage_section){
				segment.p_vaddr, segment.p_filesz,
				elfimage_bytes_at(image, segment.p_offset, segment.p_filesz)};
	if (elfimage_section(image, ".eh_frame", frames) && frames->bytes)
		return true;
	if (!header->bytes || !frames_address(header, &frames->address) ||
	    !elfimage_offset_of(image, frames->address, &offset, &left))
		return false;
	frames->bytes = elfimage_bytes_at(image, offset, left);
	frames->size = left;
	return frames->bytes != NULL;
}

/* Program headers give the address of .eh_frame_hdr, which has that of .eh_frame; its end is a
 * terminator in it, or the end of its segment. */
#include "object/unwind/textmodule.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "object/unwind/cfi_program.h"
#include "platform/readable.h"

#define FINGERPRINT_SIZE 64u
#define HEAD_BYTES	 12u /* of .eh_frame_hdr: up to the number of entries */
#define NOTES_BYTES	 256u
#define SEGMENTS_MAX	 24u /* of a module that is described by its header */

struct segments {
	const ElfW(Phdr) * items;
	unsigned count;
	uint64_t bias;
};

/* The end of the loaded segment that contains address; 0 = none does. */
static uint64_t end_of_segment(const struct segments *segments, uint64_t address)
{
	for (unsigned i = 0; i < segments->count; i++) {
		const ElfW(Phdr) *segment = &segments->items[i];
		uint64_t start = segments->bias + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && address >= start &&
		    address - start < segment->p_filesz)
			return start + segment->p_filesz;
	}
	return 0;
}

static uint64_t fingerprint_of(uint64_t seed, const void *bytes, size_t size)
{
	uint64_t words[FINGERPRINT_SIZE / 8] = {size}, result = seed;

	memcpy(words, bytes, size < FINGERPRINT_SIZE ? size : FINGERPRINT_SIZE);
	for (size_t i = 0; i < FINGERPRINT_SIZE / 8; i++)
		result = (result ^ words[i] ^ result >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return result;
}

/* The build id among a module's notes: two files may be equal in everything else that is read here,
 * even in the sizes of all their functions. */
static void describe_notes(const ElfW(Phdr) * segment, uint64_t start,
			   struct textmap_module *module)
{
	char notes[NOTES_BYTES];
	size_t size = segment->p_memsz < sizeof(notes) ? segment->p_memsz : sizeof(notes), at = 0;
	ElfW(Nhdr) note;

	if (module->build_id || !readable_copy(start, notes, size))
		return;
	while (size - at >= sizeof(note)) {
		size_t contents;

		memcpy(&note, notes + at, sizeof(note));
		contents = at + sizeof(note) + ((size_t)note.n_namesz + 3) / 4 * 4;
		at = contents + ((size_t)note.n_descsz + 3) / 4 * 4;
		if (at > size)
			return;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU))
			continue;
		module->build_id = start + contents;
		module->build_id_size = note.n_descsz;
		module->fingerprint =
			fingerprint_of(module->fingerprint, notes + contents, note.n_descsz);
		return;
	}
}

/* Address of .eh_frame, by the head of .eh_frame_hdr; 0 = unknown. */
static uint64_t frames_of(const uint8_t *head, uint64_t address)
{
	struct cfi_section section = {.header = head, .header_size = HEAD_BYTES};
	struct cfi_bytes bytes = {head, head + HEAD_BYTES, false};
	uint64_t frames;
	uint8_t encoding;

	section.header_address = address;
	if (cfi_u8(&bytes) != 1)
		return 0;
	encoding = cfi_u8(&bytes);
	cfi_skip(&bytes, 2);
	frames = cfi_pointer(&section, &bytes, encoding);
	return bytes.is_bad ? 0 : frames;
}

static void describe_tables(const struct segments *segments, uint64_t header, uint64_t size,
			    struct textmap_module *module)
{
	struct cfi_section *section = &module->section;
	uint8_t head[FINGERPRINT_SIZE];
	uint64_t limit = end_of_segment(segments, header), frames;

	section->header_address = header;
	if (limit == 0 || size < HEAD_BYTES || size > limit - header ||
	    !readable_copy(header, head, size < sizeof(head) ? size : sizeof(head)))
		return;
	frames = frames_of(head, header);
	limit = end_of_segment(segments, frames);
	if (limit == 0)
		return;
	section->header = (const uint8_t *)(uintptr_t)header;
	section->header_size = size;
	section->frames = (const uint8_t *)(uintptr_t)frames;
	section->frames_size = limit - frames;
	section->frames_address = frames;
	module->fingerprint = fingerprint_of(module->fingerprint, head, size);
}

static void textmodule_add_text(struct textmap_module *module, uint64_t start,
				const ElfW(Phdr) * segment)
{
	const uint64_t end = start + segment->p_memsz;

	if (module->text_end == 0 || start < module->text_start)
		module->text_start = start;
	if (end > module->text_end)
		module->text_end = end;
	if ((segment->p_flags & PF_R) && module->text_count < TEXTMAP_TEXTS_MAX)
		module->texts[module->text_count++] = (struct textmap_text){start, end};
}

static void unwind_textmodule_describe(const struct segments *segments,
				       struct textmap_module *module)
{
	const ElfW(Phdr) *header = NULL;

	for (unsigned i = 0; i < segments->count; i++) {
		const ElfW(Phdr) *segment = &segments->items[i];
		uint64_t start = segments->bias + segment->p_vaddr;

		if (segment->p_type == PT_GNU_EH_FRAME)
			header = segment;
		if (segment->p_type == PT_NOTE)
			describe_notes(segment, start, module);
		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X))
			textmodule_add_text(module, start, segment);
	}
	if (header)
		describe_tables(segments, segments->bias + header->p_vaddr, header->p_memsz,
				module);
}

void textmodule_describe(const struct modulescan_found *found, struct textmap_module *out)
{
	struct segments segments = {found->segments, found->segment_count, found->bias};

	memset(out, 0, sizeof(*out));
	out->start = found->start;
	out->end = found->end;
	unwind_textmodule_describe(&segments, out);
}

/* Whether what was read at start + offset is the table: one of its segments has it there. */
static bool is_table_of(const struct segments *segments, uint64_t start, uint64_t offset)
{
	for (unsigned i = 0; i < segments->count; i++) {
		const ElfW(Phdr) *segment = &segments->items[i];

		if (segment->p_type == PT_LOAD && offset >= segment->p_offset &&
		    offset - segment->p_offset < segment->p_filesz)
			return segments->bias + segment->p_vaddr + (offset - segment->p_offset) ==
			       start + offset;
	}
	return false;
}

bool textmodule_describe_headers(uint64_t start, uint64_t end, struct textmap_module *out)
{
	ElfW(Phdr) items[SEGMENTS_MAX];
	ElfW(Ehdr) elf;
	struct segments segments = {items, 0, start};

	if (!readable_copy(start, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_phentsize != sizeof(items[0]) || elf.e_phnum > SEGMENTS_MAX ||
	    !readable_copy(start + elf.e_phoff, items, elf.e_phnum * sizeof(items[0])))
		return false;
	segments.count = elf.e_phnum;
	for (unsigned i = 0; i < segments.count; i++)
		if (items[i].p_type == PT_LOAD) {
			segments.bias = start - items[i].p_vaddr;
			break;
		}
	if (!is_table_of(&segments, start, elf.e_phoff))
		return false;
	memset(out, 0, sizeof(*out));
	out->start = start;
	out->end = end;
	unwind_textmodule_describe(&segments, out);
	return true;
}

bool textmodule_describe_kernels(uint64_t start, uint64_t end, struct textmap_module *out)
{
	return start == getauxval(AT_SYSINFO_EHDR) && textmodule_describe_headers(start, end, out);
}

bool textmodule_describe_made(uint64_t start, uint64_t end, uint64_t header, uint64_t limit,
			      struct textmap_module *out)
{
	struct cfi_section *section = &out->section;
	uint8_t head[HEAD_BYTES];
	uint32_t rows;
	uint64_t frames, size;

	memset(out, 0, sizeof(*out));
	if (header >= limit || limit - header < HEAD_BYTES ||
	    !readable_copy(header, head, sizeof(head)))
		return false;
	frames = frames_of(head, header);
	memcpy(&rows, head + HEAD_BYTES - sizeof(rows), sizeof(rows));
	size = HEAD_BYTES + (uint64_t)rows * 8;
	if (frames == 0 || frames >= header || size > limit - header)
		return false;
	out->start = out->text_start = start;
	out->end = out->text_end = end;
	out->texts[out->text_count++] = (struct textmap_text){start, end};
	section->header = (const uint8_t *)(uintptr_t)header;
	section->header_size = size;
	section->header_address = header;
	section->frames = (const uint8_t *)(uintptr_t)frames;
	section->frames_size = header - frames;
	section->frames_address = frames;
	out->fingerprint = fingerprint_of(0, section->header, size);
	return true;
}

static bool is_readable(uint64_t start, uint64_t size)
{
	return readable_page(start) && readable_page(start + size - 1);
}

bool textmodule_is_there(const struct textmap_module *module, bool is_doubtful)
{
	const struct cfi_section *section = &module->section;
	uint64_t fingerprint = 0;

	if (!section->frames)
		return true;
	if (is_doubtful && (!is_readable(section->header_address, section->header_size) ||
			    !is_readable(section->frames_address, section->frames_size)))
		return false;
	if (module->build_id) {
		if (is_doubtful && !is_readable(module->build_id, module->build_id_size))
			return false;
		fingerprint = fingerprint_of(0, (const void *)(uintptr_t)module->build_id,
					     module->build_id_size);
	}
	return fingerprint_of(fingerprint, section->header, section->header_size) ==
	       module->fingerprint;
}

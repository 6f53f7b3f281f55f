/* The sections one after the other, and the header with their offsets. */
#include "patch/plan/planbytes.h"

#include <stdlib.h>
#include <string.h>

#include "patch/plan/planmaker.h"
#include "patch/read/planread.h"

#define PAGE	      4096u
#define SECTION_ALIGN 16u

struct section {
	uint64_t *offset;
	const void *bytes;
	size_t size;
	uint32_t align;
};

static void planbytes_put(unsigned char *plan, const struct section *section)
{
	if (section->size > 0)
		memcpy(plan + *section->offset, section->bytes, section->size);
}

static void fill_counts(struct plan_maker *maker)
{
	struct plan_header *header = &maker->header;

	header->function_count = maker->function_count;
	header->write_count = maker->write_count;
	header->copy_count = maker->throttle.copy_count;
	header->call_count = maker->throttle.call_count;
	header->fixup_count = maker->fixup_count;
	header->names_size = maker->names.size;
	header->frames_size = maker->frames.frames.size;
	header->header_size = maker->frames.header.size;
	header->owner_count = maker->blob.extent_count + 1;
	header->symbols_size = maker->symbols.table.size;
	header->symbol_texts_size = maker->symbols.texts.size;
}

enum kymo_status planbytes_make(struct plan_maker *maker, unsigned char **bytes_out,
				size_t *size_out)
{
	struct plan_header *header = &maker->header;
	uint64_t cold_offset, texts_offset;
	const struct section sections[] = {
		{&header->functions_offset, maker->functions,
		 maker->function_count * sizeof(*maker->functions), SECTION_ALIGN},
		{&header->writes_offset, maker->writes, maker->write_count * sizeof(*maker->writes),
		 SECTION_ALIGN},
		{&header->copies_offset, maker->throttle.copies,
		 maker->throttle.copy_count * sizeof(*maker->throttle.copies), SECTION_ALIGN},
		{&header->calls_offset, maker->throttle.calls,
		 maker->throttle.call_count * sizeof(*maker->throttle.calls), SECTION_ALIGN},
		{&header->fixups_offset, maker->fixups, maker->fixup_count * sizeof(*maker->fixups),
		 SECTION_ALIGN},
		{&header->names_offset, maker->names.bytes, maker->names.size, SECTION_ALIGN},
		{&header->owners_offset, maker->owners,
		 (maker->blob.extent_count + 1) * sizeof(*maker->owners), SECTION_ALIGN},
		/* Parts that are mapped from the file: tables at the distances that they have in
		 * memory. */
		{&header->code_offset, maker->blob.hot.bytes, maker->blob.hot.size, PAGE},
		{&cold_offset, maker->blob.cold.bytes, maker->blob.cold.size, SECTION_ALIGN},
		{&header->frames_offset, maker->frames.frames.bytes, maker->frames.frames.size,
		 PAGE},
		{&header->header_offset, maker->frames.header.bytes, maker->frames.header.size,
		 SECTION_ALIGN},
		{&header->symbols_offset, maker->symbols.table.bytes, maker->symbols.table.size,
		 PAGE},
		{&texts_offset, maker->symbols.texts.bytes, maker->symbols.texts.size, 1},
	};
	const size_t count = sizeof(sections) / sizeof(sections[0]);
	uint64_t end = sizeof(*header);
	unsigned char *plan;

	fill_counts(maker);
	for (size_t i = 0; i < count; i++) {
		end = planmaker_round_up(end, sections[i].align);
		*sections[i].offset = end;
		end += sections[i].size;
	}
	header->size = planmaker_round_up(end, SECTION_ALIGN);
	plan = calloc(1, (size_t)header->size);
	if (!plan)
		return planmaker_no_memory(maker);
	for (size_t i = 0; i < count; i++)
		planbytes_put(plan, &sections[i]);
	memcpy(plan, header, sizeof(*header));
	header->checksum = plan_checksum(plan, (size_t)header->size);
	memcpy(plan, header, sizeof(*header));
	*bytes_out = plan;
	*size_out = (size_t)header->size;
	return KYMO_OK;
}

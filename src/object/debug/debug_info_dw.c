/* Debug information by libdw.  The ranges of all compilation units are read at once, since not
 * every compiler writes .debug_aranges; a unit's functions and lines at first use.
 *
 * libdwfl is not used: it would contact the servers of $DEBUGINFOD_URLS without being asked to. */
#include "object/debug/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "object/debug/debug_names_dw.h"
#include "object/debug/debug_scopes_dw.h"
#include "object/image/module_files.h"
#include "object/unwind/cfi.h"

/* How far before an address the unit that encloses it may begin, counted in ranges. */
#define ENCLOSING_MAX 16

struct unit {
	Dwarf_Die die;	     /* with the lines and, if the unit is not split, all else */
	Dwarf_Die functions; /* of the split part; else the same */
	bool is_read;
	struct debug_scopes scopes;
	Dwarf_Lines *lines;
	size_t line_count;
	Dwarf_Files *files; /* calls refer to files by index in it */
};

struct range {
	uint64_t start, end;
	size_t unit;
};

struct debug_info {
	struct module_files files;
	Dwarf *dwarf; /* NULL = none, or not requested */
	bool is_mini_tried;
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct range *ranges; /* by start */
	size_t range_count, range_capacity;
	struct cfi_section frames;
};

static bool dw_add_range(struct debug_info *info, uint64_t start, uint64_t end)
{
	struct range *ranges;

	if (start == 0 || start >= end)
		return true;
	ranges = array_grow(info->ranges, &info->range_capacity, info->range_count + 1,
			    sizeof(*ranges));
	if (!ranges)
		return false;
	info->ranges = ranges;
	ranges[info->range_count++] = (struct range){start, end, info->unit_count};
	return true;
}

/* Units without code are skipped. */
static bool add_unit(struct debug_info *info, const struct unit *unit)
{
	struct unit *units =
		array_grow(info->units, &info->unit_capacity, info->unit_count + 1, sizeof(*units));
	Dwarf_Addr base = 0, start = 0, end = 0;
	size_t before = info->range_count;
	Dwarf_Die die = unit->die;
	ptrdiff_t place = 0;

	if (!units)
		return false;
	info->units = units;
	while ((place = dwarf_ranges(&die, place, &base, &start, &end)) > 0)
		if (!dw_add_range(info, start, end))
			return false;
	if (info->range_count > before)
		units[info->unit_count++] = *unit;
	return true;
}

static int info_dw_by_start(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (b->end > a->end) - (b->end < a->end);
}

static void read_units(struct debug_info *info)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(info->dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;
		struct unit unit = {.die = die, .functions = is_split ? split : die};

		if ((type == DW_UT_compile || type == DW_UT_skeleton) && !add_unit(info, &unit))
			break;
	}
	if (info->range_count)
		qsort(info->ranges, info->range_count, sizeof(*info->ranges), info_dw_by_start);
}

static void read_unit(struct unit *unit)
{
	size_t count;

	if (unit->is_read)
		return;
	unit->is_read = true;
	debug_scopes_read(&unit->scopes, &unit->functions);
	if (dwarf_getsrclines(&unit->die, &unit->lines, &unit->line_count) != 0)
		unit->line_count = 0;
	if (dwarf_getsrcfiles(&unit->functions, &unit->files, &count) != 0 &&
	    dwarf_getsrcfiles(&unit->die, &unit->files, &count) != 0)
		unit->files = NULL;
}

static struct unit *unit_at(struct debug_info *info, uint64_t value)
{
	size_t low = partition_point(info->range_count, i, info->ranges[i].start <= value);

	for (size_t i = low; i > 0 && low - i < ENCLOSING_MAX; i--)
		if (value < info->ranges[i - 1].end)
			return &info->units[info->ranges[i - 1].unit];
	return NULL;
}

static bool is_row_until(const struct unit *unit, size_t index, uint64_t value, bool *is_bad)
{
	Dwarf_Line *row = dwarf_onesrcline(unit->lines, index);
	Dwarf_Addr address;

	*is_bad |= !row || dwarf_lineaddr(row, &address) != 0;
	return !*is_bad && address <= value;
}

/* The last row at or before value; of several rows at one address the last one. */
static Dwarf_Line *row_at(const struct unit *unit, uint64_t value)
{
	bool is_bad = false, is_end;
	size_t low = partition_point(unit->line_count, i, is_row_until(unit, i, value, &is_bad));
	Dwarf_Line *row;

	row = low && !is_bad ? dwarf_onesrcline(unit->lines, low - 1) : NULL;
	return row && dwarf_lineendsequence(row, &is_end) == 0 && !is_end ? row : NULL;
}

static void find_line(const struct unit *unit, uint64_t value, struct debug_function *out)
{
	Dwarf_Line *row = row_at(unit, value);
	int line;

	if (!row)
		return;
	out->file = dwarf_linesrc(row, NULL, NULL);
	if (dwarf_lineno(row, &line) == 0 && line > 0)
		out->line = (uint32_t)line;
}

static Dwarf_Word dw_number_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute holder;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute, &holder) || dwarf_formudata(&holder, &value) != 0)
		return 0;
	return value;
}

static void find_call(const struct unit *unit, Dwarf_Die *die, struct debug_function *out)
{
	Dwarf_Word line = dw_number_of(die, DW_AT_call_line),
		   file = dw_number_of(die, DW_AT_call_file);
	Dwarf_Attribute holder;

	if (unit->files && dwarf_attr(die, DW_AT_call_file, &holder))
		out->file = dwarf_filesrc(unit->files, file, NULL, NULL);
	out->line = line <= INT32_MAX ? (uint32_t)line : 0;
}

static const char *dw_text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute holder;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &holder));
}

static void name_function(struct debug_scopes *scopes, struct debug_scope *scope,
			  struct debug_function *out)
{
	Dwarf_Die *die = &scope->die;
	int line;

	out->linkage_name = dw_text_of(die, DW_AT_linkage_name);
	if (!out->linkage_name)
		out->linkage_name = dw_text_of(die, DW_AT_MIPS_linkage_name);
	out->name = out->linkage_name ? NULL : debug_qualified_name(scopes, scope);
	if (!out->name)
		out->name = dwarf_diename(die);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		out->first_line = (uint32_t)line;
}

size_t debug_info_find(struct debug_info *info, uint64_t value, struct debug_function *functions,
		       size_t max)
{
	struct unit *unit = info ? unit_at(info, value) : NULL;
	size_t count = 0;
	uint32_t at;

	if (!unit || max == 0)
		return 0;
	read_unit(unit);
	at = debug_scopes_find(&unit->scopes, value);
	functions[0] = (struct debug_function){0};
	find_line(unit, value, &functions[0]);
	if (at == DEBUG_SCOPE_NONE)
		return functions[0].line ? 1 : 0;
	for (;;) {
		struct debug_scope *scope = &unit->scopes.scopes[at];

		name_function(&unit->scopes, scope, &functions[count]);
		functions[count].is_inlined = scope->is_inlined;
		if (!functions[count++].is_inlined || count == max)
			return count;
		functions[count] = (struct debug_function){0};
		find_call(unit, &scope->die, &functions[count]);
		at = scope->parent;
	}
}

static const uint8_t *section_bytes(Elf *elf, const char *name, size_t *size_out,
				    uint64_t *address_out)
{
	GElf_Shdr header;
	Elf_Scn *section = module_section(elf, name, SHT_NULL, &header);
	Elf_Data *data =
		section && header.sh_type != SHT_NOBITS ? elf_rawdata(section, NULL) : NULL;

	if (!data || !data->d_buf)
		return NULL;
	*size_out = data->d_size;
	*address_out = header.sh_addr;
	return data->d_buf;
}

static void read_frames(struct debug_info *info)
{
	struct cfi_section *frames = &info->frames;

	if (!info->files.own.elf)
		return;
	frames->header = section_bytes(info->files.own.elf, ".eh_frame_hdr", &frames->header_size,
				       &frames->header_address);
	frames->frames = section_bytes(info->files.own.elf, ".eh_frame", &frames->frames_size,
				       &frames->frames_address);
}

bool debug_info_start(struct debug_info *info, uint64_t value, uint64_t *start_out)
{
	struct cfi_row row;
	uint64_t end;

	return info && info->frames.frames && cfi_find(&info->frames, value, &row, start_out, &end);
}

static void read_dwarf(struct debug_info *info)
{
	Elf *elves[] = {info->files.own.elf, info->files.debug.elf};

	if (info->is_mini_tried)
		return;
	info->is_mini_tried = true;
	for (size_t i = 0; i < 2 && !info->dwarf; i++)
		if (elves[i])
			info->dwarf = dwarf_begin_elf(elves[i], DWARF_C_READ, NULL);
	if (info->dwarf)
		read_units(info);
}

static enum debug_obstacle obstacle_of(enum module_file_state state)
{
	switch (state) {
	case MODULE_FILE_MISSING:
		return DEBUG_FILE_MISSING;
	case MODULE_FILE_CHANGED:
		return DEBUG_FILE_CHANGED;
	case MODULE_FILE_FOREIGN:
		return DEBUG_FILE_FOREIGN;
	default:
		return DEBUG_FILE_READ;
	}
}

struct debug_info *debug_info_open(const struct debug_request *request,
				   enum debug_obstacle *obstacle_out)
{
	struct debug_info *info = calloc(1, sizeof(*info));

	*obstacle_out = DEBUG_FILE_READ;
	if (!info)
		return NULL;
	if (!module_files_open(&info->files, request->path, request->build_id,
			       request->uses_debuginfod)) {
		*obstacle_out = obstacle_of(info->files.state);
		debug_info_close(info);
		return NULL;
	}
	read_frames(info);
	if (request->has_functions)
		read_dwarf(info);
	return info;
}

void debug_info_enable_functions(struct debug_info *info)
{
	if (info)
		read_dwarf(info);
}

void debug_info_close(struct debug_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->unit_count; i++)
		debug_scopes_release(&info->units[i].scopes);
	free(info->units);
	free(info->ranges);
	if (info->dwarf)
		dwarf_end(info->dwarf);
	module_files_close(&info->files);
	free(info);
}

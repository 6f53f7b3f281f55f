/* Signatures by libdw: each function whose code begins at a requested address. */
#include "object/debug/debug_values.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"
#include "object/debug/debug_passing_dw.h"
#include "object/image/module_files.h"

#define WORDS_MAX 4096u /* bytes of an enumeration's names */

struct finding {
	struct debug_signature *signatures;
	size_t count;
	Dwarf_Die *unit;
	bool is_cxx, is_fortran, is_clang;
};

struct placing { /* of the parameters of one function */
	unsigned integers, vectors, words;
	bool is_lost;
};

static void read_unit_attributes(struct finding *finding)
{
	Dwarf_Attribute found;
	const char *producer =
		dwarf_formstring(dwarf_attr_integrate(finding->unit, DW_AT_producer, &found));

	finding->is_clang = producer && strstr(producer, "clang");
	finding->is_cxx = finding->is_fortran = false;
	switch (dwarf_srclang(finding->unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		finding->is_cxx = true;
		break;
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		finding->is_fortran = true;
		break;
	default:
		break;
	}
}

/* Languages whose rules are known here. */
static bool is_language_known(const struct finding *finding)
{
	switch (dwarf_srclang(finding->unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return finding->is_cxx || finding->is_fortran;
	}
}

static bool flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute found;
	bool is_set = false;

	return dwarf_formflag(dwarf_attr_integrate(die, name, &found), &is_set) == 0 && is_set;
}

/* clang changes the convention of file-local functions, which only newer versions record. */
static bool is_changed(const struct finding *finding, Dwarf_Die *function)
{
	Dwarf_Attribute found;
	Dwarf_Word convention = 0;

	if (dwarf_formudata(dwarf_attr_integrate(function, DW_AT_calling_convention, &found),
			    &convention) == 0 &&
	    convention == DW_CC_nocall)
		return true;
	return finding->is_clang && !flag(function, DW_AT_external);
}

static Dwarf_Die *values_dw_type_of(Dwarf_Die *die, Dwarf_Die *memory)
{
	Dwarf_Attribute found;
	Dwarf_Die type;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &found), &type) ||
	    dwarf_peel_type(&type, memory) != 0)
		return NULL;
	return memory;
}

/* "RED=0;GREEN=1;" */
static char *words_of(Dwarf_Die *enumeration)
{
	struct textbuf text = {0};
	char number[32];
	Dwarf_Die child;
	int result = dwarf_child(enumeration, &child);

	for (; result == 0 && text.length < WORDS_MAX; result = dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute found;
		Dwarf_Sword value;
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) != DW_TAG_enumerator || !name || strpbrk(name, "=;") ||
		    dwarf_formsdata(dwarf_attr(&child, DW_AT_const_value, &found), &value) != 0)
			continue;
		snprintf(number, sizeof(number), "=%lld;", (long long)value);
		textbuf_text(&text, name);
		textbuf_text(&text, number);
	}
	if (text.has_failed || text.length == 0) {
		textbuf_release(&text);
		return NULL;
	}
	return text.data;
}

static void set_kind(struct debug_value *value, const struct passing *passing, Dwarf_Die *type)
{
	value->kind = passing->kind;
	value->size = passing->size;
	if (passing->kind != VALUES_ENUM)
		return;
	value->words = words_of(type);
	if (!value->words)
		value->kind = VALUES_SIGNED;
}

static uint16_t place_in_memory(struct placing *placing, const struct passing *passing,
				uint64_t bytes)
{
	unsigned at;

	if (passing->is_aligned)
		placing->words = (placing->words + 1) & ~1u;
	at = placing->words;
	if (bytes > 8 * (uint64_t)VALUES_PLACES) {
		placing->is_lost = true;
		return 0;
	}
	placing->words += (unsigned)((bytes + 7) / 8);
	if (at + 2 >= VALUES_PLACES - VALUES_STACK)
		placing->is_lost = true;
	return (uint16_t)(VALUES_STACK + at);
}

static uint16_t dw_place(struct placing *placing, const struct passing *passing)
{
	uint16_t at;

	switch (passing->way) {
	case PASSING_POINTER:
		return placing->integers < VALUES_INTEGERS ? (uint16_t)placing->integers++
							   : place_in_memory(placing, passing, 8);
	case PASSING_REGISTERS:
		if (placing->integers + passing->integers > VALUES_INTEGERS ||
		    placing->vectors + passing->vectors > VALUES_VECTORS)
			return place_in_memory(placing, passing, passing->bytes);
		at = (uint16_t)(passing->integers ? VALUES_INTEGER + placing->integers
						  : VALUES_VECTOR + placing->vectors);
		placing->integers += passing->integers;
		placing->vectors += passing->vectors;
		return at;
	case PASSING_X87:
	case PASSING_MEMORY:
		return place_in_memory(placing, passing, passing->bytes);
	case PASSING_NOTHING:
	case PASSING_UNKNOWN:
		break;
	}
	placing->is_lost = true;
	return 0;
}

/* Fortran passes addresses, unless VALUE is specified: then the location is a register or frame
 * offset rather than a dereference. */
static bool is_pointed(Dwarf_Die *parameter)
{
	ptrdiff_t at = 0;
	Dwarf_Attribute found;
	Dwarf_Addr base, start, end;
	Dwarf_Op *operations = NULL;
	size_t count = 0;

	if (!dwarf_attr(parameter, DW_AT_location, &found))
		return true;
	if (dwarf_getlocation(&found, &operations, &count) != 0 &&
	    dwarf_getlocations(&found, at, &base, &start, &end, &operations, &count) <= 0)
		return true;
	if (count == 0 || (operations[0].atom >= DW_OP_reg0 && operations[0].atom <= DW_OP_reg31))
		return false;
	return operations[0].atom != DW_OP_fbreg || operations[count - 1].atom == DW_OP_deref;
}

static void dw_add_parameter(const struct finding *finding, Dwarf_Die *parameter,
			     struct placing *placing, struct debug_signature *out)
{
	struct debug_value *value = &out->values[out->count];
	const char *name = dwarf_diename(parameter);
	struct passing passing = {0};
	Dwarf_Die memory, *type = values_dw_type_of(parameter, &memory);
	bool is_by_address;

	if (!type) {
		placing->is_lost = true;
		return;
	}
	passing_of(type, finding->is_cxx, &passing);
	is_by_address = finding->is_fortran && is_pointed(parameter);
	if (is_by_address) {
		bool is_scalar = passing.way == PASSING_REGISTERS && passing.kind &&
				 passing.kind != VALUES_TEXT && passing.kind != VALUES_POINTER;

		passing.way = PASSING_POINTER;
		if (!is_scalar) {
			passing.kind = VALUES_POINTER;
			passing.size = 8;
			is_by_address = false;
		}
	}
	*value = (struct debug_value){.place = dw_place(placing, &passing)};
	if (placing->is_lost || !passing.kind)
		return;
	if (is_by_address)
		value->place |= VALUES_POINTED;
	value->name = strdup(name ? name : "?");
	set_kind(value, &passing, type);
	out->count++;
}

/* Whether the caller allocates the result, whose address is the first argument. */
static bool has_hidden(const struct passing *result)
{
	return result->way == PASSING_MEMORY || result->way == PASSING_POINTER;
}

static void set_result(const struct passing *passing, Dwarf_Die *type, struct debug_value *out)
{
	if (!passing->kind)
		return;
	out->place = passing->way == PASSING_X87 ? VALUES_X87
		     : passing->vectors		 ? VALUES_VECTOR
						 : VALUES_INTEGER;
	set_kind(out, passing, type);
}

static void dw_read_function(const struct finding *finding, Dwarf_Die *function,
			     struct debug_signature *out)
{
	struct placing placing = {0};
	struct passing result;
	Dwarf_Die memory, child, *type;
	int more;

	out->is_known = is_language_known(finding);
	out->is_changed = is_changed(finding, function);
	if (!out->is_known || out->is_changed)
		return;
	type = values_dw_type_of(function, &memory);
	if (!type && dwarf_hasattr_integrate(function, DW_AT_type))
		result.way = PASSING_UNKNOWN;
	else
		passing_of(type, finding->is_cxx, &result);
	if (result.way == PASSING_UNKNOWN)
		return;
	placing.integers = has_hidden(&result);
	set_result(&result, type, &out->result);
	for (more = dwarf_child(function, &child); more == 0 && !placing.is_lost;
	     more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters ||
		    out->count == VALUES_EACH_MAX)
			break;
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			dw_add_parameter(finding, &child, &placing, out);
	}
}

static int dw_by_address(const void *key, const void *item)
{
	const struct debug_signature *signature = item;
	uint64_t address = *(const uint64_t *)key;

	return address < signature->address ? -1 : address > signature->address;
}

static int take_function(Dwarf_Die *function, void *context)
{
	struct finding *finding = context;
	struct debug_signature *signature;
	Dwarf_Addr address, base, end; /* a function of several ranges is entered at the first */
	uint64_t key;

	if (dwarf_entrypc(function, &address) != 0 &&
	    dwarf_ranges(function, 0, &base, &address, &end) <= 0)
		return DWARF_CB_OK;
	key = address;
	signature = bsearch(&key, finding->signatures, finding->count, sizeof(*finding->signatures),
			    dw_by_address);
	if (signature && !signature->is_known)
		dw_read_function(finding, function, signature);
	return DWARF_CB_OK;
}

static bool dw_read_all(Dwarf *dwarf, struct finding *finding)
{
	bool has_any = false;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;

		if (type != DW_UT_compile && !is_split)
			continue;
		has_any = true;
		finding->unit = is_split ? &split : &die;
		read_unit_attributes(finding);
		dwarf_getfuncs(finding->unit, take_function, finding, 0);
	}
	return has_any;
}

static bool read_elf(Elf *elf, struct finding *finding)
{
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	bool has_any = dwarf && dw_read_all(dwarf, finding);

	if (dwarf)
		dwarf_end(dwarf);
	return has_any;
}

/* The rules of other processors are not known here. */
static bool is_x86_64(Elf *elf)
{
	GElf_Ehdr header;

	return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64;
}

bool debug_values_find(const char *path, struct debug_signature *signatures, size_t count)
{
	struct finding finding = {.signatures = signatures, .count = count};
	struct module_files files;
	bool has_any = false;

	if (module_files_open(&files, path, NULL, false) && is_x86_64(files.own.elf))
		has_any = read_elf(files.own.elf, &finding) || read_elf(files.debug.elf, &finding);
	module_files_close(&files);
	return has_any;
}

void debug_values_release(struct debug_signature *signatures, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (unsigned k = 0; k < signatures[i].count; k++) {
			free(signatures[i].values[k].name);
			free(signatures[i].values[k].words);
		}
		free(signatures[i].result.words);
	}
}

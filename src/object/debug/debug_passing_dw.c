/* Classes of values, by the x86-64 supplement to System V's ABI. */
#include "object/debug/debug_passing_dw.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH_MAX		16u
#define MEMBERS_MAX		1024u
#define SMALL_BYTES		16u
#define CONVENTION_BY_REFERENCE 4 /* DW_CC_pass_by_reference */
#define CONVENTION_BY_VALUE	5

enum class { CLASS_NONE, CLASS_VECTOR, CLASS_INTEGER };

struct classing { /* of an aggregate */
	enum class classes[2];
	unsigned members;
	bool is_cxx, is_unknown;
};

static bool attribute(Dwarf_Die *die, unsigned name, Dwarf_Word *out)
{
	Dwarf_Attribute found;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &found), out) == 0;
}

static bool passing_dw_type_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute found;
	Dwarf_Die type;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &found), &type) &&
	       dwarf_peel_type(&type, out) == 0;
}

static void registers(struct passing *out, unsigned integers, unsigned vectors, unsigned kind,
		      uint64_t size)
{
	out->way = PASSING_REGISTERS;
	out->integers = (uint8_t)integers;
	out->vectors = (uint8_t)vectors;
	out->kind = (uint8_t)kind;
	out->size = (uint8_t)size;
}

static bool is_small(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void of_integer(struct passing *out, unsigned kind, uint64_t size)
{
	if (is_small(size)) {
		registers(out, 1, 0, kind, size);
	} else if (size == 16) {
		registers(out, 2, 0, 0, 0);
		out->is_aligned = true;
	}
}

static void of_base(Dwarf_Die *type, struct passing *out)
{
	const char *name = dwarf_diename(type);
	Dwarf_Word encoding = 0;

	if (!attribute(type, DW_AT_encoding, &encoding))
		return;
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		of_integer(out, VALUES_SIGNED, out->bytes);
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		of_integer(out, VALUES_UNSIGNED, out->bytes);
		break;
	case DW_ATE_boolean:
		of_integer(out, VALUES_BOOL, out->bytes);
		break;
	case DW_ATE_float:
		if (out->bytes == 4 || out->bytes == 8) {
			registers(out, 0, 1, VALUES_FLOAT, out->bytes);
		} else if (out->bytes == 16 && name && strcmp(name, "long double") == 0) {
			out->way = PASSING_X87;
			out->is_aligned = true;
			out->kind = VALUES_FLOAT;
			out->size = 16;
		}
		break;
	default:
		break;
	}
}

static void of_pointer(Dwarf_Die *type, struct passing *out)
{
	Dwarf_Word encoding = 0, size = 0;
	unsigned kind = VALUES_POINTER;
	Dwarf_Die target;

	if (dwarf_tag(type) == DW_TAG_pointer_type && passing_dw_type_of(type, &target) &&
	    dwarf_tag(&target) == DW_TAG_base_type &&
	    attribute(&target, DW_AT_encoding, &encoding) && encoding == DW_ATE_signed_char &&
	    attribute(&target, DW_AT_byte_size, &size) && size == 1)
		kind = VALUES_TEXT;
	registers(out, 1, 0, kind, 8);
}

static void classify(struct classing *classing, Dwarf_Die *type, uint64_t offset, unsigned depth);

static void dw_set_class(struct classing *classing, uint64_t offset, uint64_t size,
			 enum class class)
{
	if (size == 0 || size > 8 || offset % size != 0 || offset + size > SMALL_BYTES)
		classing->is_unknown = true;
	else if (class > classing->classes[offset / 8])
		classing->classes[offset / 8] = class;
}

static void classify_scalar(struct classing *classing, Dwarf_Die *type, uint64_t offset)
{
	struct passing passing;

	passing_of(type, classing->is_cxx, &passing);
	if (passing.way != PASSING_REGISTERS || passing.integers + passing.vectors != 1)
		classing->is_unknown = true;
	else
		dw_set_class(classing, offset, passing.bytes,
			     passing.vectors ? CLASS_VECTOR : CLASS_INTEGER);
}

static bool array_bounds(Dwarf_Die *type, uint64_t *count)
{
	Dwarf_Word bound;
	Dwarf_Die child;
	int result = dwarf_child(type, &child);
	Dwarf_Attribute vector;

	*count = 1;
	if (dwarf_attr_integrate(type, DW_AT_GNU_vector, &vector))
		return false;
	for (; result == 0; result = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			return false;
		if (attribute(&child, DW_AT_count, &bound))
			*count *= bound;
		else if (attribute(&child, DW_AT_upper_bound, &bound))
			*count *= bound + 1;
		else
			return false;
		if (bound >= SMALL_BYTES || *count > SMALL_BYTES)
			return false;
	}
	return *count > 0;
}

static void classify_array(struct classing *classing, Dwarf_Die *type, uint64_t offset,
			   unsigned depth)
{
	uint64_t count;
	Dwarf_Die element;
	Dwarf_Word size;

	if (!array_bounds(type, &count) || !passing_dw_type_of(type, &element) ||
	    dwarf_aggregate_size(&element, &size) != 0 || size == 0) {
		classing->is_unknown = true;
		return;
	}
	for (uint64_t i = 0; i < count && !classing->is_unknown; i++)
		classify(classing, &element, offset + i * size, depth + 1);
}

static void classify_member(struct classing *classing, Dwarf_Die *member, uint64_t offset,
			    unsigned depth, bool is_union)
{
	Dwarf_Attribute found;
	Dwarf_Word at = 0;
	Dwarf_Die type;

	if (dwarf_hasattr_integrate(member, DW_AT_external) ||
	    dwarf_hasattr_integrate(member, DW_AT_declaration))
		return; /* a static member */
	if (dwarf_attr_integrate(member, DW_AT_bit_size, &found) ||
	    dwarf_attr_integrate(member, DW_AT_data_bit_offset, &found) ||
	    (!attribute(member, DW_AT_data_member_location, &at) && !is_union) ||
	    !passing_dw_type_of(member, &type) || at > SMALL_BYTES)
		classing->is_unknown = true;
	else
		classify(classing, &type, offset + at, depth + 1);
}

static void classify_members(struct classing *classing, Dwarf_Die *type, uint64_t offset,
			     unsigned depth)
{
	bool is_union = dwarf_tag(type) == DW_TAG_union_type;
	Dwarf_Die child;
	int result = dwarf_child(type, &child);

	for (; result == 0 && !classing->is_unknown; result = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (++classing->members > MEMBERS_MAX)
			classing->is_unknown = true;
		if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
			classify_member(classing, &child, offset, depth, is_union);
		else if (tag == DW_TAG_variant_part)
			classing->is_unknown = true;
	}
}

static void classify(struct classing *classing, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
	if (depth > DEPTH_MAX || classing->is_unknown) {
		classing->is_unknown = true;
		return;
	}
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		classify_members(classing, type, offset, depth);
		break;
	case DW_TAG_array_type:
		classify_array(classing, type, offset, depth);
		break;
	default:
		classify_scalar(classing, type, offset);
	}
}

/* A member may need 16-byte alignment: then its location is not known. */
static bool may_be_wide(Dwarf_Die *type, unsigned depth, unsigned *visited)
{
	Dwarf_Word size = 0;
	Dwarf_Die child, inner;
	int result;

	if (depth > DEPTH_MAX || ++*visited > MEMBERS_MAX ||
	    dwarf_hasattr_integrate(type, DW_AT_alignment) ||
	    dwarf_hasattr_integrate(type, DW_AT_GNU_vector))
		return true;
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		for (result = dwarf_child(type, &child); result == 0;
		     result = dwarf_siblingof(&child, &child))
			if ((dwarf_tag(&child) == DW_TAG_member ||
			     dwarf_tag(&child) == DW_TAG_inheritance) &&
			    (dwarf_hasattr_integrate(&child, DW_AT_alignment) ||
			     !passing_dw_type_of(&child, &inner) ||
			     may_be_wide(&inner, depth + 1, visited)))
				return true;
		return false;
	case DW_TAG_array_type:
		return !passing_dw_type_of(type, &inner) || may_be_wide(&inner, depth + 1, visited);
	case DW_TAG_base_type:
		return !attribute(type, DW_AT_byte_size, &size) || size > 8;
	default:
		return false;
	}
}

/* C++ classes, where debug information does not specify it: a class with a destructor of its own is
 * passed by a pointer; one with only members that C could have is passed as in C. */
static enum passing_way way_of_class(Dwarf_Die *type, unsigned depth, unsigned *visited)
{
	enum passing_way way = PASSING_REGISTERS;
	Dwarf_Die child, inner;
	int result = dwarf_child(type, &child);

	if (depth > DEPTH_MAX || ++*visited > MEMBERS_MAX ||
	    dwarf_hasattr_integrate(type, DW_AT_declaration))
		return PASSING_UNKNOWN;
	for (; result == 0; result = dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child);
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && name && name[0] == '~' &&
		    !dwarf_hasattr(&child, DW_AT_artificial) &&
		    !dwarf_hasattr(&child, DW_AT_defaulted))
			return PASSING_POINTER;
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inheritance)
			way = PASSING_UNKNOWN;
		if (tag != DW_TAG_member)
			continue;
		if (!passing_dw_type_of(&child, &inner))
			way = PASSING_UNKNOWN;
		else if (dwarf_tag(&inner) == DW_TAG_structure_type ||
			 dwarf_tag(&inner) == DW_TAG_class_type ||
			 dwarf_tag(&inner) == DW_TAG_union_type)
			way = way_of_class(&inner, depth + 1, visited) == PASSING_REGISTERS
				      ? way
				      : PASSING_UNKNOWN;
		else if (dwarf_tag(&inner) == DW_TAG_array_type)
			way = PASSING_UNKNOWN;
	}
	return way;
}

static void of_aggregate(Dwarf_Die *type, bool is_cxx, struct passing *out)
{
	struct classing classing = {.is_cxx = is_cxx};
	Dwarf_Word convention = 0;
	unsigned visited = 0;

	if (attribute(type, DW_AT_calling_convention, &convention) &&
	    convention == CONVENTION_BY_REFERENCE) {
		out->way = PASSING_POINTER;
		return;
	}
	if (is_cxx && convention != CONVENTION_BY_VALUE) {
		enum passing_way way = way_of_class(type, 0, &visited);

		if (way != PASSING_REGISTERS) {
			out->way = way;
			return;
		}
		visited = 0;
	}
	if (out->bytes == 0)
		return;
	if (out->bytes > SMALL_BYTES) {
		if (!may_be_wide(type, 0, &visited))
			out->way = PASSING_MEMORY;
		return;
	}
	classify(&classing, type, 0, 0);
	if (classing.is_unknown || classing.classes[0] == CLASS_NONE ||
	    (out->bytes > 8 && classing.classes[1] == CLASS_NONE))
		return;
	registers(out, 0, 0, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		out->integers += classing.classes[i] == CLASS_INTEGER;
		out->vectors += classing.classes[i] == CLASS_VECTOR;
	}
}

static bool is_signed(Dwarf_Die *enumeration)
{
	Dwarf_Word encoding = 0;
	Dwarf_Die base;

	return !passing_dw_type_of(enumeration, &base) ||
	       !attribute(&base, DW_AT_encoding, &encoding) || encoding == DW_ATE_signed ||
	       encoding == DW_ATE_signed_char;
}

void passing_of(Dwarf_Die *type, bool is_cxx, struct passing *out)
{
	Dwarf_Word bytes = 0;

	memset(out, 0, sizeof(*out));
	if (!type) {
		out->way = PASSING_NOTHING;
		return;
	}
	if (dwarf_aggregate_size(type, &bytes) == 0)
		out->bytes = bytes;
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		of_base(type, out);
		break;
	case DW_TAG_enumeration_type:
		of_integer(out, is_signed(type) || bytes < 8 ? VALUES_ENUM : VALUES_UNSIGNED,
			   bytes);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		out->bytes = 8;
		of_pointer(type, out);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		of_aggregate(type, is_cxx, out);
		break;
	default: /* other kinds are too rare to be certain */
		break;
	}
}

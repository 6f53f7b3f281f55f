/* Every count, offset and location is checked once. */
#include "format/planvalues.h"

#include "base/partitionpoint.h"

static bool planvalues_is_magic(const char *magic)
{
	for (unsigned i = 0; i < sizeof(VALUES_MAGIC) - 1; i++)
		if (magic[i] != VALUES_MAGIC[i])
			return false;
	return true;
}

static bool is_place_good(const struct values_value *value, bool is_result)
{
	unsigned place = value->place & VALUES_MASK;

	if (is_result)
		return value->place == VALUES_INTEGER || value->place == VALUES_VECTOR ||
		       (value->place == VALUES_X87 && value->size == 16);
	return place < VALUES_INTEGER + VALUES_INTEGERS ||
	       (place >= VALUES_VECTOR && place < VALUES_VECTOR + VALUES_VECTORS) ||
	       (place >= VALUES_STACK && place < VALUES_PLACES);
}

static bool is_size_good(const struct values_value *value)
{
	switch (value->size) {
	case 1:
	case 2:
		return value->kind != VALUES_FLOAT && value->kind != VALUES_POINTER &&
		       value->kind != VALUES_TEXT;
	case 4:
		return value->kind != VALUES_POINTER && value->kind != VALUES_TEXT;
	case 8:
		return true;
	default:
		return value->size == 16 && value->kind == VALUES_FLOAT;
	}
}

static bool is_function_good(const struct values *values, const struct values_header *header,
			     uint32_t i)
{
	const struct values_function *function = &values->functions[i];
	uint32_t count = function->count + (function->has_result ? 1u : 0u);

	if ((i > 0 && function->index <= function[-1].index) || function->count > VALUES_EACH_MAX ||
	    function->name >= header->texts_size || function->has_result > 1 ||
	    function->is_ended > 1 || (function->has_result && !function->is_ended) ||
	    function->first > header->value_count || count > header->value_count - function->first)
		return false;
	for (uint32_t k = 0; k < count; k++) {
		const struct values_value *value = &values->values[function->first + k];

		if (value->name >= header->texts_size || value->words >= header->texts_size ||
		    value->kind == 0 || value->kind >= VALUES_KINDS || !is_size_good(value) ||
		    !is_place_good(value, k == function->count))
			return false;
	}
	return true;
}

bool values_read(const void *bytes, size_t size, uint64_t index_end, struct values *out)
{
	const struct values_header *header = bytes;
	struct values values;
	uint64_t functions, all;

	if (size < sizeof(*header) || (uintptr_t)bytes % 8 != 0 ||
	    !planvalues_is_magic(header->magic) || header->size > size || header->texts_size == 0)
		return false;
	functions = (uint64_t)header->function_count * sizeof(struct values_function);
	all = (uint64_t)header->value_count * sizeof(struct values_value);
	if (sizeof(*header) + functions + all + header->texts_size > header->size)
		return false;
	values.functions = (const void *)(header + 1);
	values.values = (const void *)(values.functions + header->function_count);
	values.texts = (const char *)(values.values + header->value_count);
	values.function_count = header->function_count;
	if (values.texts[0] != '\0' || values.texts[header->texts_size - 1] != '\0')
		return false;
	for (uint32_t i = 0; i < values.function_count; i++)
		if (!is_function_good(&values, header, i) || values.functions[i].index >= index_end)
			return false;
	*out = values;
	return true;
}

const struct values_function *values_find(const struct values *values, uint32_t index)
{
	uint32_t low = (uint32_t)partition_point(values->function_count, i,
						 values->functions[i].index < index);

	return low < values->function_count && values->functions[low].index == index
		       ? &values->functions[low]
		       : NULL;
}

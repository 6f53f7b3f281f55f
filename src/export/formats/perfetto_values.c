/* Users' values as annotations with their names, and messages as flows. A flow connects the slices
 * and instants of one id in the order of their times, until one of them ends it; so ids may be
 * reused. */
#include "export/formats/perfetto_values.h"

#include "base/text/utf8.h"
#include "export/export_names.h"
#include "export/formats/perfetto_packet.h"
#include "model/trace/trace_cursor.h"

/* A name, a text and the fields around them. */
#define VALUE_BYTES (2 * PERFETTO_VALUE_TEXT + 32)

static unsigned char *values_put_text(unsigned char *out, uint32_t field, const char *text)
{
	char clean[PERFETTO_VALUE_TEXT];

	utf8_clean(text, clean, sizeof(clean));
	return protobuf_string(out, field, clean);
}

static unsigned char *values_put(unsigned char *out, const struct trace_value *value)
{
	unsigned char *content = out = protobuf_open(out, EVENT_ANNOTATIONS);

	out = values_put_text(out, ANNOTATION_NAME, value->name);
	switch (value->type) {
	case KYMO_VALUE_TEXT:
		out = values_put_text(out, ANNOTATION_STRING, value->as.text);
		break;
	case KYMO_VALUE_SIGNED:
		out = protobuf_uint(out, ANNOTATION_INT, value->as.natural);
		break;
	case KYMO_VALUE_UNSIGNED:
		out = protobuf_uint(out, ANNOTATION_UINT, value->as.natural);
		break;
	case KYMO_VALUE_FLOAT:
		out = protobuf_double(out, ANNOTATION_DOUBLE, value->as.real);
		break;
	case KYMO_VALUE_POINTER:
		out = protobuf_uint(out, ANNOTATION_POINTER, value->as.natural);
		break;
	}
	protobuf_close(content, out);
	return out;
}

size_t perfetto_values(struct trace_cursor *cursor, unsigned char *out)
{
	unsigned char *start = out;
	struct trace_value value;

	while (trace_cursor_value(cursor, &value))
		if ((size_t)(out - start) + VALUE_BYTES <= PERFETTO_VALUES_MAX)
			out = values_put(out, &value);
	return (size_t)(out - start);
}

size_t perfetto_flow(const struct recording *recording, const struct trace_event *event,
		     unsigned char *out)
{
	bool is_end = event->kind == TRACE_RECEIVE;
	unsigned char *end;

	end = protobuf_fixed64(out, is_end ? EVENT_TERMINATING_FLOW_IDS : EVENT_FLOW_IDS,
			       flow_id(recording, event));
	return (size_t)(end - out);
}

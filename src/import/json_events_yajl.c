/* JSON by yajl.  Texts are not checked to be UTF-8: names come from programs, and are cleaned for
 * display. */
#include "import/json_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#define BLOCK (1u << 20)

const char *const json_events_missing;

struct json_stream {
	json_event_fn receive;
	void *context;
	unsigned int depth;
	bool is_too_deep;
};

static int send(struct json_stream *stream, enum json_event event, const void *text, size_t size)
{
	return stream->receive(stream->context, event, stream->depth, (struct span){text, size});
}

static int on_null(void *context)
{
	return send(context, JSON_NULL, "", 0);
}

static int on_boolean(void *context, int value)
{
	return send(context, value ? JSON_TRUE : JSON_FALSE, "", 0);
}

static int on_number(void *context, const char *text, size_t size)
{
	return send(context, JSON_NUMBER, text, size);
}

static int on_text(void *context, const unsigned char *text, size_t size)
{
	return send(context, JSON_TEXT, text, size);
}

static int on_key(void *context, const unsigned char *text, size_t size)
{
	return send(context, JSON_KEY, text, size);
}

static int yajl_begin(struct json_stream *stream, enum json_event event)
{
	if (!send(stream, event, "", 0))
		return 0;
	stream->is_too_deep = ++stream->depth > JSON_DEPTH_MAX;
	return !stream->is_too_deep;
}

static int yajl_end(struct json_stream *stream, enum json_event event)
{
	stream->depth--;
	return send(stream, event, "", 0);
}

static int on_object(void *context)
{
	return yajl_begin(context, JSON_OBJECT);
}

static int on_object_end(void *context)
{
	return yajl_end(context, JSON_OBJECT_END);
}

static int on_array(void *context)
{
	return yajl_begin(context, JSON_ARRAY);
}

static int on_array_end(void *context)
{
	return yajl_end(context, JSON_ARRAY_END);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_text,
	.yajl_start_map = on_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_object_end,
	.yajl_start_array = on_array,
	.yajl_end_array = on_array_end,
};

/* "lexical error: invalid char in json text.\n", without the newline. */
static void yajl_explain(yajl_handle handle, const struct json_stream *stream, struct json_end *out)
{
	unsigned char *text;
	size_t length;

	if (stream->is_too_deep) {
		snprintf(out->why, sizeof(out->why), "it is nested deeper than %u levels",
			 JSON_DEPTH_MAX);
		return;
	}
	text = yajl_get_error(handle, 0, NULL, 0);
	snprintf(out->why, sizeof(out->why), "%s", text ? (const char *)text : "malformed JSON");
	if (text)
		yajl_free_error(handle, text);
	length = strcspn(out->why, "\n");
	while (length > 0 && (out->why[length - 1] == '.' || out->why[length - 1] == ' '))
		length--;
	out->why[length] = '\0';
}

static void events_yajl_parse(yajl_handle handle, const struct import_source *source,
			      struct json_stream *stream, struct json_end *out)
{
	yajl_status status = yajl_status_ok;
	size_t used = 0;

	while (used < source->size && status == yajl_status_ok) {
		size_t size = source->size - used < BLOCK ? source->size - used : BLOCK;

		status = yajl_parse(handle, (const unsigned char *)source->data + used, size);
		out->offset =
			used + (status == yajl_status_ok ? size : yajl_get_bytes_consumed(handle));
		used += size;
	}
	if (status == yajl_status_ok) {
		status = yajl_complete_parse(handle);
		out->is_cut = status != yajl_status_ok;
	}
	out->depth = stream->depth;
	out->is_stopped = status == yajl_status_client_canceled && !stream->is_too_deep;
	if (out->is_cut)
		snprintf(out->why, sizeof(out->why), "the JSON text ends too early");
	else if (status != yajl_status_ok && !out->is_stopped)
		yajl_explain(handle, stream, out);
}

enum kymo_status json_events(const struct import_source *source, json_event_fn receive,
			     void *context, struct json_end *end_out)
{
	struct json_stream stream = {.receive = receive, .context = context};
	yajl_handle handle = yajl_alloc(&callbacks, NULL, &stream);

	*end_out = (struct json_end){0};
	if (!handle) /* the library is missing, which was reported */
		return KYMO_UNAVAILABLE;
	yajl_config(handle, yajl_dont_validate_strings, 1);
	events_yajl_parse(handle, source, &stream, end_out);
	yajl_free(handle);
	return KYMO_OK;
}

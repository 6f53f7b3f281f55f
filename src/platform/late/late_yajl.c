/* JSON, by yajl.  Serves late.h. */
#include "platform/late/late.h"

#include <stdarg.h>
#include <stddef.h>
#include <yajl/yajl_parse.h>

static struct late_library library = {
	.file = LATE_YAJL, .package = "libyajl2", .without = "no JSON is imported"};

LATE_FUNCTION(&library, yajl_handle, yajl_alloc,
	      (const yajl_callbacks *callbacks, yajl_alloc_funcs *afs, void *ctx),
	      (callbacks, afs, ctx), NULL)

LATE_FUNCTION(&library, yajl_status, yajl_complete_parse, (yajl_handle hand), (hand),
	      yajl_status_error)

/* All options that Kymo uses take one number. */
int yajl_config(yajl_handle handle, yajl_option option, ...)
{
	__typeof__(yajl_config) *real =
		(__typeof__(yajl_config) *)late_find(&library, "yajl_config");
	va_list arguments;
	int number;

	va_start(arguments, option);
	number = va_arg(arguments, int);
	va_end(arguments);
	return real ? real(handle, option, number) : 0;
}

void yajl_free(yajl_handle handle)
{
	__typeof__(yajl_free) *real = (__typeof__(yajl_free) *)late_find(&library, "yajl_free");

	if (real)
		real(handle);
}

void yajl_free_error(yajl_handle hand, unsigned char *str)
{
	__typeof__(yajl_free_error) *real =
		(__typeof__(yajl_free_error) *)late_find(&library, "yajl_free_error");

	if (real)
		real(hand, str);
}

LATE_FUNCTION(&library, size_t, yajl_get_bytes_consumed, (yajl_handle hand), (hand), 0)

LATE_FUNCTION(&library, unsigned char *, yajl_get_error,
	      (yajl_handle hand, int verbose, const unsigned char *jsonText, size_t jsonTextLength),
	      (hand, verbose, jsonText, jsonTextLength), NULL)

LATE_FUNCTION(&library, yajl_status, yajl_parse,
	      (yajl_handle hand, const unsigned char *jsonText, size_t jsonTextLength),
	      (hand, jsonText, jsonTextLength), yajl_status_error)

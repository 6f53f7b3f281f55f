/* Annotations with a cache: each place in the source looks its name up once.
 *
 * They are statements: KYMO_REGION_BEGIN("solve");  Names are constant texts.  KYMO_REGION() and
 * KYMO_FUNCTION() are declarations, to be put at the beginning of the block or the function. */
#ifndef KYMO_MACROS_H
#define KYMO_MACROS_H

#include <kymo/abi.h>

#define KYMO_JOIN_EXPANDED(a, b) a##b
#define KYMO_JOIN(a, b)		 KYMO_JOIN_EXPANDED(a, b)
#define KYMO_TEXT_EXPANDED(a)	 #a
#define KYMO_TEXT(a)		 KYMO_TEXT_EXPANDED(a)
#define KYMO_HERE		 __FILE__ ":" KYMO_TEXT(__LINE__)

#ifdef KYMO_DISABLE

#define KYMO_AT(function_of, kind_of, name) ((void)sizeof(name))
#define KYMO_COUNT(name, unit, value, is_sum)                                                      \
	((void)sizeof(name), (void)sizeof(unit), (void)sizeof(value))
#define KYMO_REGION(name) ((void)sizeof(name))
#define KYMO_FUNCTION()	  ((void)0)

#else

static inline int kymo_site_begin(struct kymo_site *site)
{
	const struct kymo_api *api = kymo_api_now();

	return api ? api->site_begin(site) : KYMO_NOT_LOADED;
}

static inline int kymo_site_end(struct kymo_site *site)
{
	const struct kymo_api *api = kymo_api_now();

	return api ? api->site_end(site) : KYMO_NOT_LOADED;
}

static inline int kymo_site_mark(struct kymo_site *site)
{
	const struct kymo_api *api = kymo_api_now();

	return api ? api->site_mark(site) : KYMO_NOT_LOADED;
}

static inline int kymo_site_count(struct kymo_site *site, double value, int is_sum)
{
	const struct kymo_api *api = kymo_api_now();

	return api ? api->site_count(site, value, is_sum) : KYMO_NOT_LOADED;
}

#define KYMO_SITE(variable, name, function, kind)                                                  \
	static struct kymo_site variable = {name, function, __FILE__, __LINE__, kind, 0, 0}

#define KYMO_AT(function_of, kind_of, name)                                                        \
	do {                                                                                       \
		KYMO_SITE(kymo_site_here, name, NULL, kind_of);                                    \
		(void)function_of(&kymo_site_here);                                                \
	} while (0)

#define KYMO_COUNT(name, unit, value, is_sum)                                                      \
	do {                                                                                       \
		KYMO_SITE(kymo_site_here, name, unit, KYMO_SITE_COUNTER);                          \
		(void)kymo_site_count(&kymo_site_here, (double)(value), is_sum);                   \
	} while (0)

#ifdef __cplusplus

#define KYMO_SCOPE(id, name, function)                                                             \
	KYMO_SITE(KYMO_JOIN(kymo_site_, id), name, function, KYMO_SITE_REGION);                    \
	const ::kymo::scope KYMO_JOIN(kymo_scope_, id)                                             \
	{                                                                                          \
		KYMO_JOIN(kymo_site_, id)                                                          \
	}
#define KYMO_FUNCTION() KYMO_SCOPE(of_function, __func__, __PRETTY_FUNCTION__)

#else

static inline struct kymo_site *kymo_scope_begin(struct kymo_site *site)
{
	return kymo_site_begin(site) == KYMO_NOT_LOADED ? NULL : site;
}

static inline void kymo_scope_end(struct kymo_site *const *site)
{
	if (*site)
		(void)kymo_site_end(*site);
}

#define KYMO_SCOPE(id, name, function)                                                             \
	KYMO_SITE(KYMO_JOIN(kymo_site_, id), name, function, KYMO_SITE_REGION);                    \
	__attribute__((cleanup(kymo_scope_end), unused)) struct kymo_site *const KYMO_JOIN(        \
		kymo_scope_, id) = kymo_scope_begin(&KYMO_JOIN(kymo_site_, id))
#define KYMO_FUNCTION() KYMO_SCOPE(of_function, __func__, __func__)

#endif

/* A region from here to the end of the block; one a line. */
#define KYMO_REGION(name) KYMO_SCOPE(__LINE__, name, NULL)

#endif

#define KYMO_REGION_BEGIN(name) KYMO_AT(kymo_site_begin, KYMO_SITE_REGION, name)
#define KYMO_REGION_END(name)	KYMO_AT(kymo_site_end, KYMO_SITE_REGION, name)
#define KYMO_PHASE_BEGIN(name)	KYMO_AT(kymo_site_begin, KYMO_SITE_PHASE, name)
#define KYMO_PHASE_END(name)	KYMO_AT(kymo_site_end, KYMO_SITE_PHASE, name)
#define KYMO_INSTANT(name)	KYMO_AT(kymo_site_mark, KYMO_SITE_INSTANT, name)

/* A progress point named by its place, file:line; by a name; and the ends of a unit of work. */
#define KYMO_PROGRESS		  KYMO_PROGRESS_NAMED(KYMO_HERE)
#define KYMO_PROGRESS_NAMED(name) KYMO_AT(kymo_site_mark, KYMO_SITE_PROGRESS, name)
#define KYMO_PROGRESS_BEGIN(name) KYMO_AT(kymo_site_mark, KYMO_SITE_PROGRESS_BEGIN, name)
#define KYMO_PROGRESS_END(name)	  KYMO_AT(kymo_site_mark, KYMO_SITE_PROGRESS_END, name)

#define KYMO_COUNTER_SET(name, unit, value)  KYMO_COUNT(name, unit, value, 0)
#define KYMO_COUNTER_ADD(name, unit, change) KYMO_COUNT(name, unit, change, 1)

/* A struct kymo_value with the type of the argument. */
#ifdef __cplusplus
#define KYMO_VALUE(name, of) (::kymo::value(name, of))
#else
#define KYMO_VALUE(name, of)                                                                       \
	(_Generic((of),                                                                         \
		 char *: kymo_value_text,                                                          \
		 const char *: kymo_value_text,                                                    \
		 float: kymo_value_float,                                                          \
		 double: kymo_value_float,                                                         \
		 unsigned char: kymo_value_uint,                                                   \
		 unsigned short: kymo_value_uint,                                                  \
		 unsigned: kymo_value_uint,                                                        \
		 unsigned long: kymo_value_uint,                                                   \
		 unsigned long long: kymo_value_uint,                                              \
		 void *: kymo_value_pointer,                                                       \
		 const void *: kymo_value_pointer,                                                 \
		 default: kymo_value_int)(name, of))
#endif

#endif

/* C++: guards, which end what they began when their block is left in any way. */
#ifndef KYMO_REGION_HPP
#define KYMO_REGION_HPP

#include <kymo/kymo.h>

#include <initializer_list>
#include <string>
#include <type_traits>

namespace kymo
{

template <class T>
using if_signed =
	typename std::enable_if<std::is_integral<T>::value && std::is_signed<T>::value, int>::type;
template <class T>
using if_unsigned =
	typename std::enable_if<std::is_integral<T>::value && std::is_unsigned<T>::value,
				int>::type;
template <class T>
using if_float = typename std::enable_if<std::is_floating_point<T>::value, int>::type;

/* A value with a name, of any type. */
template <class T, if_signed<T> = 0> inline kymo_value value(const char *name, T number)
{
	return kymo_value_int(name, static_cast<int64_t>(number));
}

template <class T, if_unsigned<T> = 0> inline kymo_value value(const char *name, T natural)
{
	return kymo_value_uint(name, static_cast<uint64_t>(natural));
}

template <class T, if_float<T> = 0> inline kymo_value value(const char *name, T real)
{
	return kymo_value_float(name, static_cast<double>(real));
}

inline kymo_value value(const char *name, const char *text)
{
	return kymo_value_text(name, text);
}

inline kymo_value value(const char *name, const std::string &text)
{
	return kymo_value_text(name, text.c_str());
}

inline kymo_value value(const char *name, const void *pointer)
{
	return kymo_value_pointer(name, pointer);
}

/* kymo::region guard{"solve"};  The name must live as long as the guard. */
class region
{
      public:
	explicit region(const char *name) : name_(name), result_(kymo_region_begin(name))
	{
	}

	region(const char *name, std::initializer_list<kymo_value> values)
	    : name_(name), result_(kymo_region_begin_with(name, values.begin(), values.size()))
	{
	}

	~region()
	{
		if (result_ == KYMO_SUCCESS || result_ == KYMO_OFF)
			(void)kymo_region_end(name_);
	}

	region(const region &) = delete;
	region &operator=(const region &) = delete;

      private:
	const char *name_;
	int result_;
};

/* kymo::phase guard{"assembly"}; */
class phase
{
      public:
	explicit phase(const char *name) : name_(name), result_(kymo_phase_begin(name))
	{
	}

	~phase()
	{
		if (result_ == KYMO_SUCCESS || result_ == KYMO_OFF)
			(void)kymo_phase_end(name_);
	}

	phase(const phase &) = delete;
	phase &operator=(const phase &) = delete;

      private:
	const char *name_;
	int result_;
};

#ifndef KYMO_DISABLE

/* Behind KYMO_REGION() and KYMO_FUNCTION(). */
class scope
{
      public:
	explicit scope(kymo_site &site)
	    : site_(site), is_begun_(kymo_site_begin(&site) != KYMO_NOT_LOADED)
	{
	}

	~scope()
	{
		if (is_begun_)
			(void)kymo_site_end(&site_);
	}

	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

      private:
	kymo_site &site_;
	bool is_begun_;
};

#endif

} /* namespace kymo */

#endif

# Functions of the C library that another preloaded library may replace are not called: targets
# linked with kymo_own_calls() use those of src/platform/owncalls.h instead.
set(KYMO_OWN_CALLS_SOURCE ${CMAKE_SOURCE_DIR}/src/platform/owncalls.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${KYMO_OWN_CALLS_SOURCE})

# kymo_own_calls(TARGET [NAME...]): all of them, or those that are named.
function(kymo_own_calls target)
	target_link_libraries(${target} PRIVATE kymo_common)
	# Sanitizers intercept the same functions, and the code that writes coverage counters is linked
	# last.
	if(KYMO_SANITIZE OR KYMO_FUZZ OR KYMO_COVERAGE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$"
	   OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
		return()
	endif()
	file(STRINGS ${KYMO_OWN_CALLS_SOURCE} lines REGEX "^OWN_CALL")
	foreach(line IN LISTS lines)
		string(REGEX REPLACE "^OWN_CALL.(.*).$" "\\1" name "${line}")
		if(ARGN AND NOT name IN_LIST ARGN)
			continue()
		endif()
		target_link_options(${target} PRIVATE -Wl,--wrap=${name})
	endforeach()
endfunction()

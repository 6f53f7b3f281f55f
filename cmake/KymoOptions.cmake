# Options and the flags every target is compiled with.
option(KYMO_USE_PYTHON "Build the Python collector" ON)
option(KYMO_BUILD_TESTS "Build the C tests, which need cmocka" OFF)
option(KYMO_WERROR "Treat warnings as errors" OFF)
option(KYMO_FUZZ "Build libFuzzer executables of the fuzz targets (clang only)" OFF)
option(KYMO_COVERAGE "Count which lines and branches are executed (tools/coverage.sh)" OFF)
set(KYMO_SANITIZE "" CACHE STRING "Sanitizers for the C tests, e.g. address,undefined")

if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(kymo_flags INTERFACE)
target_include_directories(kymo_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(kymo_flags INTERFACE _GNU_SOURCE KYMO_VERSION="${PROJECT_VERSION}")
target_compile_options(kymo_flags INTERFACE -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes
	-Wshadow -Wvla -Wpointer-arith -Wwrite-strings -Wundef)
# Hardening: stack protector, and relocations that are read-only before a program's first
# instruction.  Nothing is bound lazily, also because lazy binding is not signal-safe.
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported()
target_compile_options(kymo_flags INTERFACE -fstack-protector-strong -U_FORTIFY_SOURCE)
check_c_compiler_flag(-fcf-protection=full KYMO_HAS_CF_PROTECTION)
if(KYMO_HAS_CF_PROTECTION)
	target_compile_options(kymo_flags INTERFACE -fcf-protection=full)
endif()
target_link_options(kymo_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
# For commands only: in programs under study these checks would call the C library where that is not
# allowed.
add_library(kymo_checked INTERFACE)
if(NOT KYMO_SANITIZE AND NOT KYMO_FUZZ)
	target_compile_options(kymo_checked INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

if(KYMO_WERROR)
	target_compile_options(kymo_flags INTERFACE -Werror)
endif()
if(KYMO_SANITIZE)
	target_compile_options(kymo_flags INTERFACE -fsanitize=${KYMO_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=all)
	target_link_options(kymo_flags INTERFACE -fsanitize=${KYMO_SANITIZE})
endif()
if(KYMO_COVERAGE)
	# Coverage counters of several threads are exact only if updates are atomic.
	target_compile_options(kymo_flags INTERFACE --coverage -fprofile-update=atomic)
	target_link_options(kymo_flags INTERFACE --coverage)
endif()
if(KYMO_FUZZ)
	if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
		message(FATAL_ERROR "KYMO_FUZZ needs clang (-DCMAKE_C_COMPILER=clang); this is "
			"${CMAKE_C_COMPILER_ID}")
	endif()
	# libFuzzer needs to know which branches were taken.
	target_compile_options(kymo_flags INTERFACE -fsanitize=fuzzer-no-link)
	target_link_options(kymo_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

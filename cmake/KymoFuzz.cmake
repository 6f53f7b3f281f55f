# Fuzz targets: tests/fuzz/fuzz_<parser>.c defines LLVMFuzzerTestOneInput().
#
# Every compiler links each one with replay.c, which feeds it the files of its corpus
# (tests/fuzz/corpus/<parser>/) as a test.  With KYMO_FUZZ (clang) libFuzzer's own
# executables are built in addition, as fuzz_<parser>_live.

function(kymo_add_fuzz source)
	get_filename_component(name ${source} NAME_WE)
	string(REGEX REPLACE "^fuzz_" "" parser ${name})
	set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${parser})
	add_executable(${name} ${source} fuzz/replay.c)
	set_target_properties(${name} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	if(parser MATCHES "^page_")
		set(reader kymo_view kymo_reader)
	elseif(parser MATCHES "^function_")
		set(reader kymo_cli)
	elseif(parser MATCHES "^(patch|plan|rewrite)" AND TARGET kymo_patch)
		set(reader kymo_patch)
	else()
		set(reader kymo_reader)
	endif()
	target_link_libraries(${name} PRIVATE ${reader} kymo_common)
	add_test(NAME ${name} COMMAND ${name} ${corpus})
	set_tests_properties(${name} PROPERTIES TIMEOUT 300)
	if(KYMO_FUZZ)
		add_executable(${name}_live ${source})
		set_target_properties(${name}_live PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
		target_compile_options(${name}_live PRIVATE -fsanitize=fuzzer)
		target_link_options(${name}_live PRIVATE -fsanitize=fuzzer)
		target_link_libraries(${name}_live PRIVATE ${reader} kymo_common)
	endif()
endfunction()

file(GLOB KYMO_FUZZERS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source IN LISTS KYMO_FUZZERS)
	kymo_add_fuzz(${source})
endforeach()

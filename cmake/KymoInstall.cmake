# Install locations.  `cmake --install` fills a prefix; a wheel (SKBUILD) has only the package,
# with the library and the command inside it:
#
#   prefix                              wheel
#   bin/kymo bin/kymo-python[-X.Y]      kymo/bin/kymo
#   lib/libkymo.so                      kymo/lib/libkymo.so
#   lib/kymo/python/kymo/               kymo/
#   include/kymo/                       -
#   share/kymo/ share/modulefiles/      -
#   lib/pkgconfig/ lib/cmake/Kymo/      -
#
# In both, as in the build directory, the command is at ../bin/kymo from the library: hence lib64 or
# lib/<architecture> are not used by default.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Libraries, relative to the prefix")
include(GNUInstallDirs)

if(SKBUILD)
	set(KYMO_INSTALL_BIN kymo/bin)
	set(KYMO_INSTALL_LIB kymo/lib)
	set(KYMO_INSTALL_PACKAGE kymo)
	set(KYMO_INSTALL_PRESETS kymo/share/kymo/presets)
	set(KYMO_NATIVE_RPATH "$ORIGIN/lib")
	return()
endif()

set(KYMO_INSTALL_BIN ${CMAKE_INSTALL_BINDIR})
set(KYMO_INSTALL_LIB ${CMAKE_INSTALL_LIBDIR})
set(KYMO_INSTALL_PRESETS share/kymo/presets) # ../share from the command, as ../lib
set(KYMO_INSTALL_PACKAGE ${CMAKE_INSTALL_LIBDIR}/kymo/python/kymo)
set(KYMO_NATIVE_RPATH "$ORIGIN/../../lib;$ORIGIN/../../..") # in the build, in a prefix

include(CMakePackageConfigHelpers)
set(KYMO_SHARE ${CMAKE_CURRENT_BINARY_DIR}/share)
set(KYMO_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/Kymo)
set(KYMO_PYTHON_SUBDIR ${CMAKE_INSTALL_LIBDIR}/kymo/python)

# Files that locate the prefix relative to themselves need the relative path.
configure_file(share/setup-env.sh.in ${KYMO_SHARE}/setup-env.sh @ONLY)
configure_file(share/modulefile.in ${KYMO_SHARE}/modulefile @ONLY)
configure_file(share/kymo.pc.in ${KYMO_SHARE}/kymo.pc @ONLY)
configure_file(share/kymo-annotate.pc.in ${KYMO_SHARE}/kymo-annotate.pc @ONLY)
configure_package_config_file(share/KymoConfig.cmake.in ${KYMO_SHARE}/KymoConfig.cmake
	INSTALL_DESTINATION ${KYMO_INSTALL_CMAKE}
	PATH_VARS KYMO_PYTHON_SUBDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${KYMO_SHARE}/KymoConfigVersion.cmake
	COMPATIBILITY SameMinorVersion)

install(FILES ${KYMO_SHARE}/setup-env.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/kymo)
install(FILES ${KYMO_SHARE}/modulefile RENAME ${PROJECT_VERSION}
	DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/kymo)
install(FILES ${KYMO_SHARE}/kymo.pc ${KYMO_SHARE}/kymo-annotate.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${KYMO_SHARE}/KymoConfig.cmake ${KYMO_SHARE}/KymoConfigVersion.cmake
	DESTINATION ${KYMO_INSTALL_CMAKE})
install(DIRECTORY include/kymo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
	FILES_MATCHING PATTERN *.h PATTERN *.hpp PATTERN *.f90)
# The headers that kymo/collector.h includes, in the folders of their include paths.
foreach(header runtime/hot.h runtime/eventput.h runtime/metricread.h runtime/runtime.h runtime/threadstate.h
		runtime/costs.h runtime/exported.h runtime/region.h runtime/threading.h platform/ticks.h platform/processor.h
		platform/x86_64/processor.h platform/aarch64/processor.h platform/other/processor.h
		format/format.h format/format_chunk.h format/format_event.h format/format_function.h format/format_header.h
		format/format_merged.h format/format_note.h format/format_region.h format/format_sample.h format/format_tree.h
		format/metrics.def base/clock_pair.h)
	get_filename_component(folder ${header} DIRECTORY)
	install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kymo/${folder})
endforeach()

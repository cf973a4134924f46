# Install rules, the CMake package and the pkg-config files.
#
# A library of another folder joins the package with install(TARGETS ... EXPORT polderTargets) of its own; its EXPORT_NAME
# is the name behind polder::.
include(CMakePackageConfigHelpers)

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION ${CMAKE_INSTALL_DOCDIR})

# All that follows is for those who build programs.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/polder" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")

# The headers of a standard lie in a root of their own, so that <GASPI.h> is found only by those who ask for it.
foreach(standard gaspi armci dart gpi_cp)
  if(EXISTS "${PROJECT_SOURCE_DIR}/include/${standard}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/${standard}" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
  endif()
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/polder")
install(EXPORT polderTargets NAMESPACE polder:: DESTINATION "${package_dir}")
# The contract of devices, for those that are built outside of this tree: <device/plugin.hpp>, in a root of its own.
set(CONTRACT_INCLUDE "${CMAKE_INSTALL_INCLUDEDIR}/polder-device")
install(FILES "${PROJECT_SOURCE_DIR}/src/device/completion_sink.hpp" "${PROJECT_SOURCE_DIR}/src/device/device.hpp"
              "${PROJECT_SOURCE_DIR}/src/device/plugin.hpp" "${PROJECT_SOURCE_DIR}/src/device/region.hpp"
        DESTINATION "${CONTRACT_INCLUDE}/device")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/polderConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/polderConfig.cmake" INSTALL_DESTINATION "${package_dir}"
                              PATH_VARS CONTRACT_INCLUDE CMAKE_INSTALL_INCLUDEDIR)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/polderPlugin.cmake" DESTINATION "${package_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/polderConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/polderConfig.cmake" "${PROJECT_BINARY_DIR}/polderConfigVersion.cmake"
        DESTINATION "${package_dir}")

# Relative to the folder of the .pc file, so that an installed tree can be moved; an absolute folder stays what it is.
function(pkgconfig_dir variable dir)
  if(IS_ABSOLUTE "${dir}")
    set(${variable} "${dir}" PARENT_SCOPE)
  else()
    set(${variable} "\${prefix}/${dir}" PARENT_SCOPE)
  endif()
endfunction()
pkgconfig_dir(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
pkgconfig_dir(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
file(RELATIVE_PATH pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  set(pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
foreach(package polder GASPI gpi_cp)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in" "${PROJECT_BINARY_DIR}/${package}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

# Configurations for Paraver, which select what polder trace convert writes.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/polder/paraver" DESTINATION "${CMAKE_INSTALL_DATADIR}/polder")

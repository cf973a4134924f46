include("${CMAKE_CURRENT_LIST_DIR}/polderPlugin.cmake")
polder_device_interface(POLDER_DEVICE_INTERFACE "${PROJECT_SOURCE_DIR}/src/device" "${PROJECT_SOURCE_DIR}/include/polder")
polder_interface(POLDER_BOOTSTRAP_INTERFACE "${PROJECT_SOURCE_DIR}/src/bootstrap/bootstrap.hpp"
                 "${PROJECT_SOURCE_DIR}/src/bootstrap/standing.hpp" "${PROJECT_SOURCE_DIR}/src/bootstrap/plugin.hpp"
                 "${PROJECT_SOURCE_DIR}/include/polder/health.hpp" "${PROJECT_SOURCE_DIR}/include/polder/status.hpp"
                 "${PROJECT_SOURCE_DIR}/include/polder/timeout.hpp" "${PROJECT_SOURCE_DIR}/include/polder/types.hpp")

# polder_module(NAME [IN_ROOMS | ROOMS room...] [DEPENDS module...] [LINK library...])
#
# Declares the module of the current folder: a static library polder_NAME of all *.cpp here (sub-folders that are modules
# of their own have their own call; IN_ROOMS takes those of all sub-folders in, ROOMS those of some), or an interface library where there are
# only headers. DEPENDS are other modules, all from
# rows below: the link graph is the table of allowed includes. Modules include each other as "module/file.hpp", seen from src/.
function(polder_module NAME)
  cmake_parse_arguments(ARG "IN_ROOMS" "" "ROOMS;DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(ARG_IN_ROOMS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  foreach(room IN LISTS ARG_ROOMS)
    file(GLOB_RECURSE more CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp")
    list(APPEND sources ${more})
  endforeach()
  if(sources)
    add_library(polder_${NAME} STATIC ${sources})
    target_link_libraries(polder_${NAME} PRIVATE polder_flags)
    set(visibility PUBLIC)
  else()
    add_library(polder_${NAME} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(polder_${NAME} ${visibility} "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(polder_${NAME} ${visibility} ${ARG_LINK})
  foreach(module IN LISTS ARG_DEPENDS)
    target_link_libraries(polder_${NAME} ${visibility} polder_${module})
  endforeach()
endfunction()

# polder_plugin(NAME OUTPUT short_name [DEPENDS module...] [LINK library...])
#
# A module that is loaded when it is needed: polder_NAME as above, for tests, and libpolder-SHORT_NAME.so with the same
# objects and copies of the modules they need, in lib/polder/ of the build tree and of an installation.
function(polder_plugin NAME)
  cmake_parse_arguments(ARG "" "OUTPUT" "DEPENDS;LINK" ${ARGN})
  polder_module(${NAME} DEPENDS ${ARG_DEPENDS} LINK ${ARG_LINK})
  set(version "${CMAKE_CURRENT_BINARY_DIR}/plugin_version.cpp")
  set(interface "${POLDER_DEVICE_INTERFACE}")
  if(NAME MATCHES "^bootstrap_")
    set(interface "${POLDER_BOOTSTRAP_INTERFACE}")
  endif()
  polder_plugin_version_file("${version}" "${PROJECT_VERSION}" "${interface}")
  set(target polder_${NAME}_plugin)
  add_library(${target} MODULE $<TARGET_OBJECTS:polder_${NAME}> "${version}")
  target_link_libraries(${target} PRIVATE polder_flags ${ARG_LINK})
  foreach(module IN LISTS ARG_DEPENDS)
    target_link_libraries(${target} PRIVATE polder_${module})
  endforeach()
  set(map "${PROJECT_SOURCE_DIR}/cmake/plugin.map")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME polder-${ARG_OUTPUT} LINK_DEPENDS "${map}" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/polder")
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/polder)
endfunction()

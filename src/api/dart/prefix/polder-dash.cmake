# For a build of DASH from its own sources, which are not changed:
#
#   cmake -DDART_IMPLEMENTATIONS=polder -DCMAKE_PROJECT_project_dash_INCLUDE=PREFIX/share/cmake/polder-dash.cmake ...
#
# CMake reads this after DASH's project(). DASH links its programs with `dart-polder`, which is the library beside this file then. Its
# own copies of DART's headers are used.
get_filename_component(polder_dart_prefix "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
if(NOT TARGET dart-polder)
  add_library(dart-polder SHARED IMPORTED GLOBAL)
  set_target_properties(dart-polder PROPERTIES IMPORTED_LOCATION "${polder_dart_prefix}/lib/libdart-polder.so"
                                               INTERFACE_LINK_OPTIONS "LINKER:-rpath-link,${polder_dart_prefix}/lib")
endif()

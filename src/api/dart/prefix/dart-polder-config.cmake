# find_package(DART-POLDER), as an installed DASH asks for it, or find_package(dart-polder): the target dart-polder.
include("${CMAKE_CURRENT_LIST_DIR}/polder-dash.cmake")
set_target_properties(dart-polder PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${polder_dart_prefix}/include")

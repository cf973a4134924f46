# polder_module(NAME [DEPENDS module...] [LINK library...])
#
# Declares the module of the current folder: a static library polder_NAME of all *.cpp here (sub-folders that are modules
# of their own have their own call), or an interface library where there are only headers. DEPENDS are other modules, all from
# rows below: the link graph is the table of allowed includes. Modules include each other as "module/file.hpp", seen from src/.
function(polder_module NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
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

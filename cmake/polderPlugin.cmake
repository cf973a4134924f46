# polder_interface(VARIABLE file...): a number for what these headers say, by which both sides of a plug-in can tell that they were
# built from the same ones. Configured anew when one of them changes.
function(polder_interface VARIABLE)
  set(sums "")
  foreach(file IN LISTS ARGN)
    file(SHA256 "${file}" sum)
    string(APPEND sums "${sum}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  string(SHA256 sum "${sums}")
  string(SUBSTRING "${sum}" 0 16 sum)
  set(${VARIABLE} "${sum}" PARENT_SCOPE)
endfunction()

# polder_device_interface(VARIABLE DEVICE PUBLIC): that of the contract of devices, whose headers lie in the folders DEVICE and PUBLIC.
function(polder_device_interface VARIABLE DEVICE PUBLIC)
  set(headers "")
  foreach(name completion_sink device plugin region)
    list(APPEND headers "${DEVICE}/${name}.hpp")
  endforeach()
  foreach(name status types)
    list(APPEND headers "${PUBLIC}/${name}.hpp")
  endforeach()
  polder_interface(sum ${headers})
  set(${VARIABLE} "${sum}" PARENT_SCOPE)
endfunction()

# polder_plugin_version_file(FILE VERSION INTERFACE): the source by which a plug-in says what it was built with.
function(polder_plugin_version_file FILE VERSION INTERFACE)
  set(text "// What this plug-in was built with, for core/engine/plugin.\n")
  foreach(symbol "version[] = \"${VERSION}\"" "interface[] = \"${INTERFACE}\"")
    string(APPEND text "extern \"C\" [[gnu::visibility(\"default\")]] const char polder_plugin_${symbol};\n")
  endforeach()
  file(GENERATE OUTPUT "${FILE}" CONTENT "${text}")
endfunction()

# polder_device_plugin(NAME source...): libpolder-NAME.so, a device for this version of Polder, from sources outside of its tree.
# They include <device/plugin.hpp>, the contract of devices. POLDER_PLUGIN_PATH names the folder that it is built in, and
# POLDER_DEVICE=NAME chooses it.
function(polder_device_plugin NAME)
  set(version "${CMAKE_CURRENT_BINARY_DIR}/polder-${NAME}-version.cpp")
  polder_device_interface(interface "${POLDER_CONTRACT_INCLUDE}/device" "${POLDER_PUBLIC_INCLUDE}/polder")
  polder_plugin_version_file("${version}" "${polder_VERSION}" "${interface}")
  add_library(polder-${NAME} MODULE ${ARGN} "${version}")
  target_link_libraries(polder-${NAME} PRIVATE polder::polder)
  target_include_directories(polder-${NAME} PRIVATE "${POLDER_CONTRACT_INCLUDE}")
  set_target_properties(polder-${NAME} PROPERTIES CXX_VISIBILITY_PRESET hidden)
endfunction()

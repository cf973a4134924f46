# polder_device_plugin(NAME source...): libpolder-NAME.so, a device for this version of Polder, from sources outside of its tree.
# They include <device/plugin.hpp>, the contract of devices. POLDER_PLUGIN_PATH names the folder that it is built in, and
# POLDER_DEVICE=NAME chooses it.
function(polder_device_plugin NAME)
  set(version "${CMAKE_CURRENT_BINARY_DIR}/polder-${NAME}-version.cpp")
  file(WRITE "${version}" "extern \"C\" [[gnu::visibility(\"default\")]] const char polder_plugin_version[];\n"
                          "const char polder_plugin_version[] = \"${polder_VERSION}\";\n")
  add_library(polder-${NAME} MODULE ${ARGN} "${version}")
  target_link_libraries(polder-${NAME} PRIVATE polder::polder)
  target_include_directories(polder-${NAME} PRIVATE "${POLDER_CONTRACT_INCLUDE}")
  set_target_properties(polder-${NAME} PROPERTIES CXX_VISIBILITY_PRESET hidden)
endfunction()

# What every target of the project is compiled with.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# What is built lies where a person looks for it: build/PRESET/bin/polder, build/PRESET/lib/libpolder.so.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
# Installed programs (bin/, libexec/polder/) and libraries find libpolder beside themselves, wherever the tree is moved.
set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN/../../${CMAKE_INSTALL_LIBDIR}")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()
# Asserts stay in dev builds; NDEBUG only in Release.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

add_library(polder_flags INTERFACE)
target_compile_features(polder_flags INTERFACE cxx_std_20)
target_compile_options(polder_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
# GCC 12 takes "literal" + std::string for an overlapping copy at -O3 (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(polder_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(POLDER_WERROR)
  target_compile_options(polder_flags INTERFACE -Werror)
endif()
if(POLDER_SANITIZE)
  add_compile_options(-fsanitize=${POLDER_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${POLDER_SANITIZE})
  if(POLDER_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  if(POLDER_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # stand-alone fences: those places also carry an atomic that TSan sees
  endif()
endif()

find_package(Threads REQUIRED)

# Where `polder info --gpi2-prefix` finds the installed directory, as seen from the executable; see src/api/gaspi/gpi2.
file(RELATIVE_PATH POLDER_GPI2_FROM_BIN "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/polder/gpi2")
# The same for `polder info --armci-prefix`; see src/api/armci/prefix.
file(RELATIVE_PATH POLDER_ARMCI_FROM_BIN "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/polder/armci")
# And for `polder info --dart-prefix`; see src/api/dart/prefix.
file(RELATIVE_PATH POLDER_DART_FROM_BIN "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/polder/dart")

# Only the Fortran modules of GASPI and their test need it.
include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
endif()

# The parts that are built only where something else is installed: which of them this build has, and how to get the others.
# Applications say of themselves, when they are configured and when they are run, by what they compute.
#
# polder_part(NAME CONDITION FILE GET PACKAGE): CONDITION is true where it is built; FILE is what an installation has of it,
# seen from the folder of the libraries, or empty where it is within what is always there; GET says what to install before
# Polder is built, PACKAGE which of Polder's own Debian packages has it. CMake prints the list, and `polder info parts` tells
# it of an installation.
set(POLDER_PARTS "")
set(polder_part_lines "")
function(polder_part NAME CONDITION FILE GET PACKAGE)
  if(${CONDITION})
    set(built true)
    set(text "yes")
  else()
    set(built false)
    set(text "no; install ${GET} and configure anew")
  endif()
  string(LENGTH "${NAME}" length)
  math(EXPR blanks "34 - ${length}")
  string(REPEAT " " ${blanks} gap)
  set(polder_part_lines ${polder_part_lines} "  ${NAME}${gap}${text}" PARENT_SCOPE)
  string(APPEND POLDER_PARTS "    {\"${NAME}\", ${built}, \"${FILE}\", \"${GET}\", \"${PACKAGE}\"},\n")
  set(POLDER_PARTS "${POLDER_PARTS}" PARENT_SCOPE)
endfunction()

foreach(target device_ucx device_ofi bootstrap_pmix)
  set(has_${target} FALSE)
  if(TARGET polder_${target}_plugin)
    set(has_${target} TRUE)
  endif()
endforeach()
foreach(mpi openmpi mpich)
  set(has_armci_${mpi} FALSE)
  if(TARGET armci_${mpi})
    set(has_armci_${mpi} TRUE)
  endif()
endforeach()
set(has_fortran FALSE)
if(CMAKE_Fortran_COMPILER)
  set(has_fortran TRUE)
endif()

set(has_dart_hwloc FALSE)
get_target_property(dart_definitions dart_objects COMPILE_DEFINITIONS)
if("${dart_definitions}" MATCHES "POLDER_DART_HWLOC")
  set(has_dart_hwloc TRUE)
endif()
set(has_otf2 FALSE)
if(OTF2_FOUND)
  set(has_otf2 TRUE)
endif()

set(lib ${CMAKE_SHARED_LIBRARY_PREFIX})
set(so ${CMAKE_SHARED_LIBRARY_SUFFIX})
file(RELATIVE_PATH module_dir "${CMAKE_INSTALL_FULL_LIBDIR}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}/gaspi")
polder_part("other hosts (device ucx)" has_device_ucx "polder/${lib}polder-ucx${so}" "libucx-dev (1.13 or newer)" "polder")
polder_part("other hosts (device ofi)" has_device_ofi "polder/${lib}polder-ofi${so}" "libfabric-dev (1.14 or newer)"
            "polder")
polder_part("srun, mpirun, prterun (PMIx)" has_bootstrap_pmix "polder/${lib}polder-pmix${so}" "libpmix-dev (4.2 or newer)"
            "polder")
polder_part("GASPI in Fortran" has_fortran "${module_dir}/gaspi.mod" "gfortran" "libpolder-dev")
polder_part("ARMCI for Open MPI" has_armci_openmpi "${lib}armci-polder-openmpi${so}" "libopenmpi-dev"
            "libpolder-armci-openmpi")
polder_part("ARMCI for MPICH" has_armci_mpich "${lib}armci-polder-mpich${so}" "libmpich-dev" "libpolder-armci-mpich")
polder_part("hardware of units (DART)" has_dart_hwloc "" "libhwloc-dev (2.0 or newer)" "libpolder-dev")
polder_part("traces for Vampir (OTF2)" has_otf2 "" "libotf2-trace-dev (3.0 or newer)" "polder")
file(RELATIVE_PATH POLDER_LIB_FROM_BIN "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")

# Last, where it is read.
function(polder_print_parts)
  message(STATUS "Polder ${PROJECT_VERSION}, parts that depend on what is installed:")
  foreach(line IN LISTS polder_part_lines)
    message(STATUS "${line}")
  endforeach()
endfunction()
cmake_language(DEFER CALL polder_print_parts)

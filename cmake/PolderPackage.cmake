# `make package`: Debian packages of the components that install() rules name.
#
#   polder                       programs, shared libraries, plug-ins          runtime
#   libpolder-dev                headers, static libraries, names of GPI-2     dev
#   libpolder-armci-{openmpi,mpich}   ARMCI for one MPI                        armci_openmpi, armci_mpich
#
# What they depend on, dpkg-shlibdeps finds in the programs; Polder's own packages fit each other in one version only.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME polder)
set(CPACK_PACKAGE_VENDOR "Polder")
set(CPACK_PACKAGE_CONTACT "The Polder developers <polder@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_DEBIAN_PACKAGE_SECTION libs)

# polder_package(COMPONENT NAME SUMMARY DEPENDS): DEPENDS are names of packages, behind what dpkg-shlibdeps finds.
function(polder_package COMPONENT NAME SUMMARY DEPENDS)
  string(TOUPPER "${COMPONENT}" key)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${COMPONENT} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME "${NAME}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${DEPENDS}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${SUMMARY}" PARENT_SCOPE)
endfunction()

set(CPACK_COMPONENTS_ALL "")
polder_package(runtime polder "One-sided communication: programs and shared libraries
 The launcher polder, libpolder, libGASPI, the plug-ins for networks and
 launchers, and the applications terasort, fmm and mf." "")
polder_package(dev libpolder-dev "One-sided communication: headers and static libraries
 For programs in C++, and in C or Fortran over GASPI."
               "polder (= ${PROJECT_VERSION}), libc6-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
foreach(mpi openmpi mpich)
  if(TARGET armci_${mpi})
    polder_package(armci_${mpi} libpolder-armci-${mpi} "ARMCI over Polder for programs of ${mpi}
 What Global Arrays links against: shared and static library, and ga-config.
 The headers are in libpolder-dev." "polder (= ${PROJECT_VERSION})")
  endif()
endforeach()
include(CPack)

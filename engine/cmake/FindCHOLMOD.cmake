# Finds CHOLMOD of SuiteSparse and makes CHOLMOD::CHOLMOD. SuiteSparse before 7 brings no CMake
# package of its own, so this module is installed beside twang's.
# Sets CHOLMOD_FOUND and CHOLMOD_VERSION.

find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)

if(CHOLMOD_INCLUDE_DIR)
  set(CHOLMOD_VERSION "")
  foreach(header cholmod_core.h cholmod.h) # the first up to SuiteSparse 6, the second from 7
    if(NOT CHOLMOD_VERSION AND EXISTS "${CHOLMOD_INCLUDE_DIR}/${header}")
      file(STRINGS "${CHOLMOD_INCLUDE_DIR}/${header}" lines
           REGEX "#define CHOLMOD_(MAIN|SUB|SUBSUB)_VERSION[ \t]+[0-9]+")
      if(lines MATCHES "_MAIN_VERSION[ \t]+([0-9]+).*_SUB_VERSION[ \t]+([0-9]+).*_SUBSUB_VERSION[ \t]+([0-9]+)")
        set(CHOLMOD_VERSION "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
      endif()
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CHOLMOD REQUIRED_VARS CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR
                                  VERSION_VAR CHOLMOD_VERSION)

if(CHOLMOD_FOUND AND NOT TARGET CHOLMOD::CHOLMOD)
  add_library(CHOLMOD::CHOLMOD UNKNOWN IMPORTED)
  set_target_properties(CHOLMOD::CHOLMOD PROPERTIES
    IMPORTED_LOCATION "${CHOLMOD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CHOLMOD_INCLUDE_DIR}")
endif()
mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)

# Includes go one way. Run as: cmake -DROOT=<repository> -P include_order.cmake
# Fails with one line for each include that is wrong, each use of what the engine must not do, and
# each source that is not built.
cmake_minimum_required(VERSION 3.25)

# A file of engine/src may include its own header and those of ideas that stand before its own.
# A file belongs to the idea it is named after: factor_cholmod.cpp to factor.
set(order
    error vec3 vertex_groups pose surface nearest strided avx2 memory arrays integrator lanes links machine jobs spring_math
    jacobi four skyline factor gather contact_point hessian_gather side_gather spring_set coarse_space coarse_kernels
    model pieces tears build embedding coarse side_coarse triangular_solve panels panel_solve
    panel_kernels side_panels system pins live_columns live_system refactory mesh_collider colliders deepest_point contact surface_points contacts objective gusts forces
    strain_limit particles reaction sleep acceleration
    side_memory solving joint_coarse joint side_by_side local_global newton newton_cg linear_implicit explicit_euler
    statics body_contact body frame admit step touching crowd world snapshot c_api)

set(wrong 0)
macro(complain text)
  message("${text}")
  math(EXPR wrong "${wrong} + 1")
endmacro()

# The position in `order` of the idea a file is about, by its whole name or the longest prefix.
function(place_of file result)
  cmake_path(GET file STEM name)
  set(idea ${name})
  while(NOT idea IN_LIST order AND idea MATCHES "^(.+)_[^_]*$")
    set(idea ${CMAKE_MATCH_1})
  endwhile()
  list(FIND order ${idea} place)
  set(${result} ${place} PARENT_SCOPE)
endfunction()

# What a file includes, as written, quotes or angle brackets and all.
function(includes_of path result)
  file(STRINGS ${path} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  list(TRANSFORM lines REPLACE "^[ \t]*#[ \t]*include[ \t]*([<\"][^>\"]*[>\"]).*" "\\1")
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# ---- engine/src: one way -------------------------------------------------------------------------
file(GLOB sources RELATIVE ${ROOT}/engine/src ${ROOT}/engine/src/*.?pp ${ROOT}/engine/src/*.h)
if(NOT sources)
  complain("no sources in ${ROOT}/engine/src")
endif()
foreach(source ${sources})
  place_of(${source} own)
  if(own EQUAL -1)
    complain("engine/src/${source}: no idea of that name in tests/include_order.cmake")
    continue()
  endif()
  list(GET order ${own} idea)
  includes_of(${ROOT}/engine/src/${source} includes)
  foreach(include ${includes})
    string(REGEX REPLACE "[<>\"]" "" header ${include})
    if(header MATCHES "cholmod|SuiteSparse" AND NOT idea STREQUAL "factor")
      complain("engine/src/${source}: ${include}: only factor may know CHOLMOD")
    elseif(header MATCHES "^(iostream|ostream|fstream|filesystem|print)$")
      complain("engine/src/${source}: ${include}: the engine reads no files and prints nothing")
    elseif(include MATCHES "^\"" AND NOT header MATCHES "^twang/")
      if(NOT header IN_LIST sources)
        complain("engine/src/${source}: ${include}: not a file of engine/src")
        continue()
      endif()
      place_of(${header} other)
      if(other GREATER own)
        complain("engine/src/${source}: ${include}: stands after ${idea} in tests/include_order.cmake")
      endif()
    elseif(header MATCHES "^twang/" AND NOT header MATCHES "^twang/twang\\.hp*$")
      complain("engine/src/${source}: ${include}: the engine does not know what is built on it")
    endif()
  endforeach()
  file(STRINGS ${ROOT}/engine/src/${source} prints
       REGEX "(^|[^A-Za-z0-9_])(printf|fprintf|vfprintf|puts|fputs|putchar|perror|fopen|abort|exit|cout|cerr)[ ]*(\\(|<<)")
  foreach(line ${prints})
    complain("engine/src/${source}: ${line}: the engine neither prints nor ends the program")
  endforeach()
endforeach()

# ---- public headers: no Eigen --------------------------------------------------------------------
foreach(header engine/include/twang/twang.h engine/include/twang/twang.hpp
               engine/io/include/twang/io.hpp)
  includes_of(${ROOT}/${header} includes)
  foreach(include ${includes})
    if(NOT include MATCHES "^<(twang/twang\\.hp*|[a-z_]+(\\.h)?)>$")
      complain("${header}: ${include}: public headers need the standard library and Twang alone")
    endif()
  endforeach()
endforeach()

# ---- demo, bench and io: public headers only -----------------------------------------------------
# But bench/inside.cpp looks inside the engine, and bench/rivals_*.cpp know what it is compared with.
foreach(folder demo bench engine/io)
  file(GLOB sources RELATIVE ${ROOT} ${ROOT}/${folder}/*.?pp ${ROOT}/${folder}/*.h)
  foreach(source ${sources})
    includes_of(${ROOT}/${source} includes)
    foreach(include ${includes})
      string(REGEX REPLACE "[<>\"]" "" header ${include})
      if(header MATCHES "^twang/")
        if(NOT header MATCHES "^twang/(twang\\.h|twang\\.hpp|io\\.hpp)$")
          complain("${source}: ${include}: not a public header")
        endif()
      elseif(include MATCHES "^\"" AND (header MATCHES "\\.\\./" OR NOT EXISTS ${ROOT}/${folder}/${header}))
        if(NOT (source MATCHES "^bench/inside\\." AND EXISTS ${ROOT}/engine/src/${header}))
          complain("${source}: ${include}: outside ${folder}; use public headers")
        endif()
      elseif(header MATCHES "^Eigen/|cholmod|[Bb]ullet" AND NOT source MATCHES "^bench/rivals[^/]*\\.cpp$")
        complain("${source}: ${include}: linear algebra is the engine's business, rivals the benchmark's")
      endif()
    endforeach()
  endforeach()
endforeach()

# ---- every source is built -----------------------------------------------------------------------
foreach(folder engine/src engine/io demo bench tests)
  string(REPLACE "/src" "" lists ${folder})
  file(READ ${ROOT}/${lists}/CMakeLists.txt text)
  file(GLOB sources RELATIVE ${ROOT}/${folder} ${ROOT}/${folder}/*.cpp)
  foreach(source ${sources})
    cmake_path(GET source STEM name)
    if(NOT text MATCHES "[ (/]${name}(\\.cpp)?[ )\n,>]")
      complain("${folder}/${source}: not in ${lists}/CMakeLists.txt")
    endif()
  endforeach()
endforeach()

if(wrong)
  message(FATAL_ERROR "${wrong} wrong")
endif()

# Whatever twang.h can do twang.hpp can. Run as: cmake -DROOT=<repository> -P wrappers.cmake
# Fails with one line for each function of twang.h that twang.hpp does not call, and for each
# exception below that is none.
cmake_minimum_required(VERSION 3.25)

# In C++ the definition structs carry their defaults as member initialisers.
set(exceptions
    twang_default_air twang_default_body twang_default_cloth twang_default_collider
    twang_default_fine_mesh twang_default_grab twang_default_mesh twang_default_spring
    twang_default_world)

set(wrong 0)
macro(complain text)
  message("${text}")
  math(EXPR wrong "${wrong} + 1")
endmacro()

# A header without comments and preprocessor lines.
function(read_code path result)
  file(READ ${path} code)
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" code "${code}")
  string(REGEX REPLACE "//[^\n]*" "" code "${code}")
  string(REGEX REPLACE "(^|\n)#([^\n]*\\\\\n)*[^\n]*" "\n" code "${code}")
  set(${result} "${code}" PARENT_SCOPE)
endfunction()

read_code(${ROOT}/engine/include/twang/twang.h c)
read_code(${ROOT}/engine/include/twang/twang.hpp cpp)

string(REGEX MATCHALL "TWANG_API[^(;]*\\(" functions "${c}")
list(TRANSFORM functions REPLACE ".*(twang_[a-z0-9_]+)\\($" "\\1")
list(LENGTH functions count)
if(count LESS 50)
  complain("only ${count} functions found in twang.h")
endif()
foreach(function ${functions})
  if(cpp MATCHES "[^A-Za-z0-9_]${function}\\(")
    if(function IN_LIST exceptions)
      complain("${function}: twang.hpp calls it; strike it from tests/wrappers.cmake")
    endif()
  elseif(NOT function IN_LIST exceptions)
    complain("${function}: twang.hpp has no wrapper")
  endif()
endforeach()
foreach(function ${exceptions})
  if(NOT function IN_LIST functions)
    complain("${function}: not in twang.h; strike it from tests/wrappers.cmake")
  endif()
endforeach()

if(wrong)
  message(FATAL_ERROR "${wrong} wrong")
endif()
message("${count} functions")

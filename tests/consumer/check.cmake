# Builds and runs the consumer project, with Twang come by in the way that WAY says. Started by ctest.
#   static        this build's library, installed, and the installation moved
#   subdirectory  by add_subdirectory; only configured, the rest is as with FetchContent
#   shared        by FetchContent as a shared library; then that one installed and moved
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message("${command}\n${out}")
    message(FATAL_ERROR "ended with ${code}")
  endif()
endfunction()

set(common -G ${GENERATOR} -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DCMAKE_BUILD_TYPE=${CONFIG})
# The engine is built once more for some of these: quickly, since only its packaging is looked at,
# and what the compiler says of it.
string(TOUPPER "${CONFIG}" upper)
set(flags -O0)
if(TWANG_WERROR)
  string(APPEND flags " -Wall -Wextra -Wpedantic -Werror")
endif()
set(engine -DTWANG_CHOLMOD=${TWANG_CHOLMOD} "-DCMAKE_CXX_FLAGS_${upper}=${flags}")

# Installs a build, moves what was installed, and makes sure that it does not remember.
function(install_and_move build)
  file(REMOVE_RECURSE ${WORK}/first ${WORK}/moved)
  run(${CMAKE_COMMAND} --install ${build} --prefix ${WORK}/first --config ${CONFIG})
  file(RENAME ${WORK}/first ${WORK}/moved)
  file(GLOB_RECURSE package ${WORK}/moved/*.cmake)
  if(NOT package)
    message(FATAL_ERROR "nothing was installed")
  endif()
  foreach(file ${package})
    file(READ ${file} text)
    foreach(path ${TWANG_SOURCE} ${WORK} /usr)
      string(FIND "${text}" "${path}/" found)
      if(NOT found EQUAL -1)
        message(FATAL_ERROR "${file} holds the path ${path}")
      endif()
    endforeach()
  endforeach()
endfunction()

function(configure name)
  run(${CMAKE_COMMAND} --fresh -S ${TWANG_SOURCE}/tests/consumer -B ${WORK}/${name} ${common} ${ARGN})
endfunction()

function(consume name)
  set(build ${WORK}/${name})
  configure(${name} ${ARGN})
  run(${CMAKE_COMMAND} --build ${build} --config ${CONFIG})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${build} -C ${CONFIG} --output-on-failure --no-tests=error)
endfunction()

if(WAY STREQUAL "static")
  install_and_move(${TWANG_BUILD})
  consume(package -DCMAKE_PREFIX_PATH=${WORK}/moved -DTWANG_TYPE=STATIC_LIBRARY)
elseif(WAY STREQUAL "subdirectory")
  configure(subdirectory ${engine} -DTWANG_BY=subdirectory -DTWANG_SOURCE=${TWANG_SOURCE}
            -DTWANG_TYPE=STATIC_LIBRARY)
elseif(WAY STREQUAL "shared")
  consume(fetch ${engine} -DTWANG_BY=fetch -DFETCHCONTENT_SOURCE_DIR_TWANG=${TWANG_SOURCE}
          -DFETCHCONTENT_FULLY_DISCONNECTED=ON -DBUILD_SHARED_LIBS=ON -DTWANG_INSTALL=ON
          -DTWANG_TYPE=SHARED_LIBRARY)
  install_and_move(${WORK}/fetch)
  consume(package -DCMAKE_PREFIX_PATH=${WORK}/moved -DTWANG_TYPE=SHARED_LIBRARY)
else()
  message(FATAL_ERROR "no such way: ${WAY}")
endif()

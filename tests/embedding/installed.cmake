# Installs the build, runs the installed program on a model that uses the standard library, and builds and runs a C++ program against
# the installed package.   cmake -DBUILD=… -DSOURCE=… -DCOMPILER=… -DFLAGS=… -P installed.cmake
set(prefix ${BUILD}/tests/embedding/prefix)
set(work ${BUILD}/tests/embedding/consumer)
file(REMOVE_RECURSE ${prefix} ${work})
set(ENV{KRON_PATH})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\n${said}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# A library that is only in the installed folder: found there, and not in the source tree.
file(WRITE ${prefix}/share/kron/stdlib/only_installed.eq "model Here\n  variable x = 1\nend\n")
run(${prefix}/bin/kron -e "use only_installed\nuse electrical\nh : Here\ns : ConstantVoltage(V = 1)\nr : Resistor(R = 1)\ng : Ground\nconnect r.p, s.p\nconnect r.n, s.n, g.p\n:simulate")

run(${CMAKE_COMMAND} -S ${SOURCE}/tests/embedding/consumer -B ${work} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${work})
run(${work}/charge)
message("installed program and package work")

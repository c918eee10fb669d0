# Every example gives the same bytes on standard output in two runs (addresses differ from run to run), the first of them interpreted, the
# second by machine code.
#   cmake -DPROGRAM=kron -DEXAMPLES=folder -P repeatable.cmake
file(GLOB_RECURSE examples ${EXAMPLES}/*.eq)
list(LENGTH examples count)
if(count EQUAL 0)
  message(FATAL_ERROR "no examples in ${EXAMPLES}")
endif()
foreach(example IN LISTS examples)
  foreach(backend interpreter jit)
    execute_process(COMMAND ${PROGRAM} -e ":set backend ${backend}" ${example} OUTPUT_VARIABLE ${backend} ERROR_QUIET)
  endforeach()
  if(NOT interpreter STREQUAL jit)
    message(SEND_ERROR "${example} printed something else the second time")
  endif()
endforeach()

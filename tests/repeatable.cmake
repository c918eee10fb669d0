# Every example gives the same bytes on standard output in two runs (addresses differ from run to run).
#   cmake -DPROGRAM=kron -DEXAMPLES=folder -P repeatable.cmake
file(GLOB_RECURSE examples ${EXAMPLES}/*.eq)
list(LENGTH examples count)
if(count EQUAL 0)
  message(FATAL_ERROR "no examples in ${EXAMPLES}")
endif()
foreach(example IN LISTS examples)
  foreach(run first second)
    execute_process(COMMAND ${PROGRAM} --quiet ${example} OUTPUT_VARIABLE ${run} ERROR_QUIET)  # quiet: no times
  endforeach()
  if(NOT first STREQUAL second)
    message(SEND_ERROR "${example} printed something else the second time")
  endif()
endforeach()

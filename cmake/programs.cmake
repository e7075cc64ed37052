# A program that people run. Its debug symbols are five times its size, so they stand in a file of their own beside it, where gdb,
# addr2line and perf look for them: bin/.debug/openclaw.debug. `cmake --install` leaves them out unless the component is named:
#
#   cmake --install build/release --component symbols
option(OC_SPLIT_DEBUG "Keep the debug symbols of the programs in files beside them" OFF)

# oc_program(<target> <component> [<folder>]): installs the program, into bin if no other folder is named.
function(oc_program target component)
    set(folder bin)
    if(ARGC GREATER 2)
        set(folder ${ARGV2})
    endif()
    install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT ${component})
    if(NOT OC_SPLIT_DEBUG OR APPLE)
        return()
    endif()
    set(symbols ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/.debug/${target}.debug)
    add_custom_command(TARGET ${target} POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/.debug
        COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${target}> ${symbols}
        COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=${symbols} $<TARGET_FILE:${target}>
        BYPRODUCTS ${symbols}
        VERBATIM)
    install(FILES ${symbols} DESTINATION ${folder}/.debug COMPONENT symbols EXCLUDE_FROM_ALL)
endfunction()

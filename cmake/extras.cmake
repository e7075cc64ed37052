# What is installed beside the programs: manual page, completions, icon, entries for desktops. And the target `uninstall`:
#
#   cmake --build build/release --target uninstall        removes what the last `cmake --install build/release` put there
find_program(OC_GZIP gzip REQUIRED)
set(extras ${CMAKE_BINARY_DIR}/share)

# oc_compress(<file> <name>): a compressed copy in extras, the same bytes at any time and place.
function(oc_compress file name)
    add_custom_command(OUTPUT ${extras}/${name}
        COMMAND sh -c "mkdir -p \"\${1%/*}\" && '${OC_GZIP}' -9nc '${file}' >\"$1\"" sh ${extras}/${name}
        DEPENDS ${file} VERBATIM)
endfunction()

oc_compress(${CMAKE_SOURCE_DIR}/docs/openclaw.1 openclaw.1.gz)
install(FILES ${extras}/openclaw.1.gz DESTINATION share/man/man1 COMPONENT openclaw)
set(extra_files ${extras}/openclaw.1.gz)

# The program writes them itself, so they have every command and option that it has.
if(NOT CMAKE_CROSSCOMPILING)
    foreach(shell bash zsh fish)
        add_custom_command(OUTPUT ${extras}/openclaw.${shell}
            COMMAND sh -c "mkdir -p \"\${1%/*}\" && \"$2\" completion --shell \"$3\" >\"$1\""
                sh ${extras}/openclaw.${shell} $<TARGET_FILE:openclaw> ${shell}
            DEPENDS openclaw VERBATIM)
        list(APPEND extra_files ${extras}/openclaw.${shell})
    endforeach()
    install(FILES ${extras}/openclaw.bash DESTINATION share/bash-completion/completions RENAME openclaw COMPONENT openclaw)
    install(FILES ${extras}/openclaw.fish DESTINATION share/fish/vendor_completions.d COMPONENT openclaw)
    # zsh of Debian looks below /usr in a folder of its own.
    install(CODE "
        set(folder site-functions)
        if(\"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" MATCHES \"/_CPack_Packages/[^/]+/DEB/\")
            set(folder vendor-completions)
        endif()
        file(INSTALL \"${extras}/openclaw.zsh\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/zsh/\${folder}\" RENAME _openclaw)
        " COMPONENT openclaw)
endif()
add_custom_target(extras ALL DEPENDS ${extra_files})

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    install(FILES ${CMAKE_SOURCE_DIR}/packaging/openclaw.svg DESTINATION share/icons/hicolor/scalable/apps COMPONENT openclaw)
    install(FILES ${CMAKE_SOURCE_DIR}/packaging/openclaw.desktop DESTINATION share/applications COMPONENT openclaw)
    if(TARGET openclaw-canvas-window)
        install(FILES ${CMAKE_SOURCE_DIR}/packaging/openclaw-canvas-window.desktop DESTINATION share/applications
            COMPONENT openclaw-canvas-window)
    endif()
endif()

add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)

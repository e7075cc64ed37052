# OC_PORTABLE: a program for distributions other than the one it is built on. SQLite, utf8proc and cmark-gfm, whose sonames or packages
# differ, are linked statically. Debian has no archives of cJSON and wslay, so those two are carried along (scripts/release puts them into
# lib/openclaw of the tarball). OpenSSL and the C library are the system's: it mends them, and knows its certificates.
if(NOT OC_PORTABLE)
    return()
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(CMAKE_INSTALL_RPATH "\$ORIGIN/../lib/openclaw")
endif()

# oc_static(<variable> <archive> <target> <libraries it needs…>): the target links the archive instead.
function(oc_static variable archive target)
    find_library(${variable} ${archive} REQUIRED)
    set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES ${${variable}} ${ARGN})
    set_property(TARGET ${target} PROPERTY INTERFACE_LINK_OPTIONS "")
endfunction()
oc_static(OC_STATIC_SQLITE libsqlite3.a PkgConfig::SQLITE m)
oc_static(OC_STATIC_UTF8PROC libutf8proc.a PkgConfig::UTF8PROC)

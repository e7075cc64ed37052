# Packages for Debian and Fedora, one for each program that a machine may do without:
#
#   cmake --preset release && cmake --build --preset release && (cd build/release && cpack)        .deb of this release of Debian
#   (cd build/release && cpack -G RPM)                                                             .rpm
#
# openclaw itself needs no desktop library; openclaw-canvas, openclaw-media and openclaw-desktop bring theirs, and openclaw-full brings
# all. scripts/release makes a whole release; tests/check_packages.py looks into all of it.
include(cmake/changelog.cmake)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/CHANGELOG.md)

# Debian's own variables for who makes a package. Whoever hands packages to others sets them: the default is nobody's.
set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if("$ENV{DEBEMAIL}" STREQUAL "")
    set(maintainer "openclaw packagers <openclaw@packages.example.org>")
endif()

# Built once per release of a distribution, as the libraries differ; a newer one's package is the newer package.
set(release "")
if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release lines REGEX "^(ID|VERSION_ID)=")
    foreach(line ${lines})
        string(REGEX MATCH "^(ID|VERSION_ID)=\"?([a-z0-9.]*)" line "${line}")
        set(os_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endforeach()
    string(REPLACE "debian" "deb" os_ID "${os_ID}")
    if(os_ID AND os_VERSION_ID)
        set(release "~${os_ID}${os_VERSION_ID}")
    endif()
endif()
set(OC_PACKAGE_REVISION 1 CACHE STRING "Which packaging of this version it is")
set(deb_version "${PROJECT_VERSION}-${OC_PACKAGE_REVISION}${release}")

oc_changelog(${CMAKE_SOURCE_DIR}/CHANGELOG.md openclaw "-${OC_PACKAGE_REVISION}${release}" "${maintainer}"
    ${CMAKE_BINARY_DIR}/packaging/changelog.Debian)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/packaging/cpack.cmake @ONLY CONTENT [[
# The same bytes at any time: what is packed has the date of the version.
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
    set(ENV{SOURCE_DATE_EPOCH} "@OC_RELEASED@")
endif()
]])
oc_compress(${CMAKE_BINARY_DIR}/packaging/changelog.Debian changelog.Debian.gz)
oc_compress(${CMAKE_SOURCE_DIR}/CHANGELOG.md changelog.gz)
add_custom_target(package-documents ALL DEPENDS ${CMAKE_BINARY_DIR}/share/changelog.Debian.gz ${CMAKE_BINARY_DIR}/share/changelog.gz)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME openclaw)
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/packaging/cpack.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/modes.cmake)
set(CPACK_COMPONENTS_ALL openclaw)
if(NOT OC_SPLIT_DEBUG)
    set(CPACK_STRIP_FILES ON)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${OC_PACKAGE_REVISION}${release}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The scripts are there to tell people something; they touch nobody's home.
set(CPACK_DEBIAN_OPENCLAW_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/debian/postinst ${CMAKE_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_OPENCLAW_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_MAIN_COMPONENT openclaw)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE ${OC_PACKAGE_REVISION})
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_PACKAGE_GROUP Applications/Internet)
set(CPACK_RPM_PACKAGE_AUTOPROV OFF)
set(CPACK_RPM_COMPRESSION_TYPE xz)
# Folders of the system are not ours to own, and the programs are stripped already. Time and host of the build are left out.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/libexec /usr/share/applications /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/zsh
    /usr/share/zsh/site-functions /usr/share/icons /usr/share/icons/hicolor /usr/share/icons/hicolor/scalable
    /usr/share/icons/hicolor/scalable/apps /usr/share/man /usr/share/man/man1)
set(CPACK_RPM_SPEC_MORE_DEFINE "%define __spec_install_post %{nil}
%define debug_package %{nil}
%define _build_id_links none
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost localhost")

# oc_package(<name> <summary> <description> …): names of Debian in DEPENDS, RECOMMENDS, SUGGESTS; of Fedora in REQUIRES. Libraries come by
# themselves, for Debian by package, for Fedora by soname; REQUIRES has the packages that have them there.
function(oc_package name summary description)
    cmake_parse_arguments(ARG "" "" "DEPENDS;RECOMMENDS;SUGGESTS;REQUIRES;REQUIRES_SAME" ${ARGN})
    string(TOUPPER ${name} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
    set(CPACK_RPM_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_RPM_${upper}_PACKAGE_SUMMARY "${summary}" PARENT_SCOPE)
    set(CPACK_RPM_${upper}_PACKAGE_DESCRIPTION "${description}" PARENT_SCOPE)
    foreach(same ${ARG_REQUIRES_SAME})
        list(APPEND ARG_DEPENDS "${same} (= ${deb_version})")
        list(APPEND ARG_REQUIRES "${same} = ${PROJECT_VERSION}-${OC_PACKAGE_REVISION}")
    endforeach()
    foreach(kind DEPENDS RECOMMENDS SUGGESTS)
        list(JOIN ARG_${kind} ", " text)
        set(CPACK_DEBIAN_${upper}_PACKAGE_${kind} "${text}" PARENT_SCOPE)
    endforeach()
    list(JOIN ARG_REQUIRES ", " text)
    set(CPACK_RPM_${upper}_PACKAGE_REQUIRES "${text}" PARENT_SCOPE)
    install(FILES ${CMAKE_SOURCE_DIR}/packaging/debian/copyright DESTINATION share/doc/${name} COMPONENT ${name})
    install(FILES ${CMAKE_BINARY_DIR}/share/changelog.Debian.gz ${CMAKE_BINARY_DIR}/share/changelog.gz
        DESTINATION share/doc/${name} COMPONENT ${name})
endfunction()

oc_package(openclaw "gateway, headless node host and command line of OpenClaw"
"Start a node on a machine, approve it once, and agents and people use that
machine through the gateway: they run commands on it, as far as its owner
allows. Every command passes four gates, and a refusal names the one that is
closed. Speaks the WebSocket protocol of OpenClaw, versions 3 and 4.
.
This package needs no desktop. Camera, screen, notifications, location and
canvas of a node come with openclaw-media, openclaw-desktop and
openclaw-canvas."
    RECOMMENDS ca-certificates libqrencode4
    SUGGESTS openclaw-full avahi-daemon avahi-utils
    REQUIRES cjson openssl-libs sqlite-libs utf8proc wslay)
oc_package(openclaw-media "camera, screen and players of OpenClaw nodes"
"The helper program of openclaw nodes for pictures and films of cameras and
screens, and for sound and films on the canvas: PipeWire, GStreamer, X11,
Wayland by portal or screencopy, V4L2. Off until the owner of the machine
enables it: openclaw node enable camera screen."
    REQUIRES_SAME openclaw
    DEPENDS gstreamer1.0-pipewire gstreamer1.0-plugins-base gstreamer1.0-plugins-good
    RECOMMENDS openclaw-desktop gstreamer1.0-plugins-ugly gstreamer1.0-plugins-bad gstreamer1.0-libav gstreamer1.0-x gstreamer1.0-pulseaudio
        pipewire wireplumber
    SUGGESTS xdg-desktop-portal
    REQUIRES glib2 gstreamer1 gstreamer1-plugins-base gstreamer1-plugins-good libwayland-client libxcb pipewire-gstreamer pipewire-libs)
oc_package(openclaw-desktop "notifications and location of OpenClaw nodes"
"The helper program of openclaw nodes for what the desktop session offers by
D-Bus: notifications, also those that ask for an approval and announce a
capture, location by GeoClue or gpsd, and the battery by UPower."
    REQUIRES_SAME openclaw
    RECOMMENDS geoclue-2.0
    SUGGESTS gpsd upower
    REQUIRES glib2 libnotify)
oc_package(openclaw-canvas "A2UI canvas of OpenClaw nodes, drawn without a display"
"Agents draw forms and dashboards on the canvas of a node; people see and use
them, and what they press goes back to the agent. This program draws it
without a display, for pictures of it and for the watch page of the gateway,
and it is what openclaw canvas render and check use."
    REQUIRES_SAME openclaw
    RECOMMENDS fonts-liberation fonts-noto-core
    SUGGESTS openclaw-canvas-window openclaw-web fonts-noto-cjk fonts-noto-color-emoji
    REQUIRES cairo fontconfig giflib harfbuzz libdeflate libjpeg-turbo librsvg2 libspng libwebp pango pcre2)
oc_package(openclaw-canvas-window "window of the canvas of OpenClaw nodes"
"Shows the canvas of an openclaw node on its desktop, where the person at the
machine uses it with mouse and keyboard."
    REQUIRES_SAME openclaw-canvas
    SUGGESTS openclaw-media
    REQUIRES gtk4 libX11)
oc_package(openclaw-web "web pages on the canvas of OpenClaw nodes"
"Shows web pages and canvas files on the canvas of an openclaw node, with
WebKitGTK in a sandbox, behind a guard of its own for the network."
    REQUIRES_SAME openclaw-canvas
    DEPENDS bubblewrap xdg-dbus-proxy
    RECOMMENDS "weston | xvfb"
    REQUIRES bubblewrap gtk4 webkitgtk6.0 xdg-dbus-proxy)

set(helpers "")
foreach(helper openclaw-canvas openclaw-canvas-window openclaw-web openclaw-media openclaw-desktop)
    if(TARGET ${helper})
        list(APPEND helpers ${helper})
    endif()
endforeach()
list(APPEND CPACK_COMPONENTS_ALL ${helpers})
list(LENGTH helpers count)
if(count EQUAL 5)
    oc_package(openclaw-full "OpenClaw with camera, screen, desktop and canvas"
"Depends on all packages of openclaw, for machines with a desktop. Servers need
openclaw alone."
        REQUIRES_SAME openclaw ${helpers})
    set(CPACK_DEBIAN_OPENCLAW-FULL_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_OPENCLAW-FULL_PACKAGE_SECTION metapackages)
    set(CPACK_DEBIAN_OPENCLAW-FULL_PACKAGE_SHLIBDEPS OFF)
    set(CPACK_RPM_OPENCLAW-FULL_PACKAGE_ARCHITECTURE noarch)
    list(APPEND CPACK_COMPONENTS_ALL openclaw-full)
endif()
include(CPack)

# Debian packages, one for each program that a machine may do without:
#
#   cmake --preset release && cmake --build --preset release && (cd build/release && cpack)
#
# openclaw itself needs no desktop library; openclaw-canvas, openclaw-media and openclaw-desktop bring theirs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME openclaw)
set(CPACK_PACKAGE_CONTACT "the openclaw project")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL openclaw)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
if(NOT OC_SPLIT_DEBUG)
    set(CPACK_STRIP_FILES ON)
endif()

function(oc_package name summary)
    cmake_parse_arguments(ARG "" "" "DEPENDS;RECOMMENDS;SUGGESTS" ${ARGN})
    string(TOUPPER ${name} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION ${summary} PARENT_SCOPE)
    foreach(kind DEPENDS RECOMMENDS SUGGESTS)
        list(JOIN ARG_${kind} ", " text)
        set(CPACK_DEBIAN_${upper}_PACKAGE_${kind} "${text}" PARENT_SCOPE)
    endforeach()
endfunction()

oc_package(openclaw "Gateway, headless node host and command line of OpenClaw"
    RECOMMENDS libqrencode4 SUGGESTS openclaw-canvas openclaw-media openclaw-desktop avahi-daemon avahi-utils)
oc_package(openclaw-media "Camera, screen and players for openclaw nodes"
    DEPENDS "openclaw (= ${PROJECT_VERSION})" gstreamer1.0-pipewire gstreamer1.0-plugins-base gstreamer1.0-plugins-good
    RECOMMENDS openclaw-desktop gstreamer1.0-plugins-ugly gstreamer1.0-plugins-bad gstreamer1.0-libav gstreamer1.0-x gstreamer1.0-pulseaudio
        pipewire wireplumber
    SUGGESTS xdg-desktop-portal)
oc_package(openclaw-desktop "Notifications and location for openclaw nodes"
    DEPENDS "openclaw (= ${PROJECT_VERSION})" RECOMMENDS geoclue-2.0 SUGGESTS gpsd upower)
oc_package(openclaw-canvas "A2UI canvas for openclaw nodes, and openclaw canvas render"
    DEPENDS "openclaw (= ${PROJECT_VERSION})" RECOMMENDS fonts-liberation fonts-noto-core
    SUGGESTS openclaw-canvas-window openclaw-web fonts-noto-cjk fonts-noto-color-emoji)
oc_package(openclaw-canvas-window "Window of the canvas of openclaw nodes"
    DEPENDS "openclaw-canvas (= ${PROJECT_VERSION})" SUGGESTS openclaw-media)
oc_package(openclaw-web "Web pages on the canvas of openclaw nodes"
    DEPENDS "openclaw-canvas (= ${PROJECT_VERSION})" bubblewrap xdg-dbus-proxy RECOMMENDS "weston | xvfb")
foreach(helper openclaw-canvas openclaw-canvas-window openclaw-web openclaw-media openclaw-desktop)
    if(TARGET ${helper})
        list(APPEND CPACK_COMPONENTS_ALL ${helper})
    endif()
endforeach()
include(CPack)

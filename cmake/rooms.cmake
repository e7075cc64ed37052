# A room is a folder with a library of its own. Those of lib/ are static libraries that use each other in one direction only
# (tests/check_layers.py has the table). The rooms of a part (gateway, node, cli, canvas, platform) are compiled one by
# one, and the library of the part holds them all; in which order they know each other stands in the same table.

# oc_part(<part> <libraries…>): the library of a part. <part>_uses is what all of its rooms are compiled and linked with.
function(oc_part part)
    add_library(${part}_uses INTERFACE)
    target_link_libraries(${part}_uses INTERFACE oc_options ${ARGN})
    add_library(${part} STATIC)
    target_link_libraries(${part} PUBLIC ${part}_uses)
endfunction()

# oc_room(<part> <room> <sources…>): compiles <part>_<room>, and puts it into the library of the part if there is only one.
function(oc_room part room)
    add_library(${part}_${room} OBJECT ${ARGN})
    target_link_libraries(${part}_${room} PRIVATE ${part}_uses)
    if(TARGET ${part})
        target_sources(${part} PRIVATE $<TARGET_OBJECTS:${part}_${room}>)
    endif()
endfunction()

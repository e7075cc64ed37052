if(NOT APPLE)
    oc_test(unit platform_process_test oc_platform)
    oc_test(unit platform_tree_test oc_platform)
endif()

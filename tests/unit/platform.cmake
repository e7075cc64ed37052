if(NOT APPLE)
    oc_test(unit platform/linux/platform_peer_test oc_platform)
    oc_test(unit platform/linux/device/platform_device_test oc_platform)
    oc_test(unit platform/linux/helper/helper_sandbox_test oc_files oc_serve)
    oc_test(unit platform/linux/kernel/seccomp_test oc_kernel)
    oc_test(unit platform/linux/process/platform_job_test oc_platform)
    oc_test(unit platform/linux/process/platform_process_test oc_platform)
    oc_test(unit platform/linux/process/platform_spare_test oc_platform)
    oc_test(unit platform/linux/process/platform_tree_test oc_platform)
    oc_test(unit platform/linux/sandbox/platform_sandbox_calls_test oc_platform)
    oc_test(unit platform/linux/sandbox/platform_sandbox_files_test oc_platform)
    oc_test(unit platform/linux/sandbox/platform_sandbox_processes_test oc_platform)
    oc_test(unit platform/linux/sandbox/platform_sandbox_start_test oc_platform)
    add_custom_target(platform_sandbox_tests) # for tests/vm
    add_dependencies(platform_sandbox_tests platform_sandbox_calls_test platform_sandbox_files_test platform_sandbox_processes_test
        platform_sandbox_start_test)
    if(NOT OC_SANITIZE MATCHES thread) # whose shadow memory would be measured, too
        oc_test(unit platform/linux/process/platform_meter_test oc_platform)
    endif()
    oc_test(unit platform/linux/media/camera/v4l2_formats_test oc_base)
    target_sources(v4l2_formats_test PRIVATE ${CMAKE_SOURCE_DIR}/platform/linux/media/camera/v4l2_formats.c
        ${CMAKE_SOURCE_DIR}/platform/linux/media/camera_formats.c)
    oc_test(unit platform/linux/media/gst_errors_test oc_helper)
    target_sources(gst_errors_test PRIVATE ${CMAKE_SOURCE_DIR}/platform/linux/media/gst_errors.c)
    # Needs control groups that are all its own: runs in the virtual machine of the long tier (tests/vm).
    oc_test_program(platform/linux/cgroup/platform_cgroup_test oc_platform)
endif()
pkg_check_modules(TEST_SPA IMPORTED_TARGET libspa-0.2)
if(TEST_SPA_FOUND)
    oc_test(unit platform/linux/media/pw_formats_test oc_base)
    target_sources(pw_formats_test PRIVATE ${CMAKE_SOURCE_DIR}/platform/linux/media/camera_formats.c
        ${CMAKE_SOURCE_DIR}/platform/linux/media/pw_formats.c)
    target_link_libraries(pw_formats_test PRIVATE PkgConfig::TEST_SPA)
endif()

foreach(test loop msg http ws server dial tls session)
    oc_test(unit ${test}_test oc_net)
endforeach()
target_link_libraries(tls_test PRIVATE PkgConfig::OPENSSL)

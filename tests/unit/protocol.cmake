foreach(name connect device_auth errors frame hello identity identity_file nonce pem protocol_invoke scopes shape
        setup_code
        signature wire)
    oc_test(unit ${name}_test oc_protocol)
endforeach()
target_link_libraries(pem_test PRIVATE PkgConfig::OPENSSL) # reads our PEM with OpenSSL's own decoder
oc_test(unit exec_approvals_test oc_protocol)
oc_test(unit prompt_line_test oc_protocol)
oc_test(unit switches_test oc_protocol)

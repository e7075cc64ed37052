foreach(name base_config buf clock config_expand config_include encode error file json json5 json_check json_decode json_escape json_print
        json_scan list log map mem paths str strv utf8)
    oc_test(unit ${name}_test oc_base)
endforeach()
target_link_libraries(mem_test PRIVATE PkgConfig::OPENSSL) # oc_mem_trim is about its pages
foreach(name config_edit config_file config_schema)
    oc_test(unit ${name}_test oc_base)
endforeach()
oc_test(unit config_patch_test oc_base)
oc_test(unit argv_text_test oc_base)
oc_test(unit packet_test oc_base)
oc_test(unit params_test oc_base)

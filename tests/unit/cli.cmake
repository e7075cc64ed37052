foreach(name options_test table_test text_test pretty_test target_test explain_test nodes_util_test waiting_test
        exec_answer_test cli_help_test completion_test qr_test mdns_test node_gates_test
        child_test approval_decide_test)
    oc_test(unit ${name} oc_cli)
endforeach()
oc_test(unit cli_media_file_test oc_cli)
oc_test(unit unit_text_test oc_cli)
oc_test(unit service_test oc_cli)

foreach(name exec_argv_test exec_carriers_test exec_glob_test exec_shell_test exec_safe_bins_test exec_judge_test exec_field_test exec_operand_test
        exec_list_test exec_env_test exec_path_test exec_policy_test node_answers_test node_journal_test
        node_call_test node_commands_test node_process_test node_retry_test node_run_params_test node_run_result_test
        node_state_test node_status_test node_system_test node_exec_test node_live_test node_run_log_test)
    oc_test(unit ${name} oc_node)
endforeach()
oc_test(unit node_containment_test oc_node)
oc_test(unit node_dir_unlock_test oc_node)
oc_test(unit node_untold_test oc_node)
if(NOT APPLE)
    oc_test(unit node_vitals_test oc_node)
endif()
# Sees every program that a command executes by ptrace, as Linux has it.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    oc_test(unit exec_property_test oc_node)
endif()
oc_test(unit exec_log_test oc_node)
oc_test(unit exec_plans_test oc_node)

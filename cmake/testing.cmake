# unit_test(<folder>/test_<file> LINK <library>... [ENV NAME=VALUE...])
#
# A cmocka program in tests/unit/<folder>/test_<file>.c: the program, its ctest entry, a timeout.
function(unit_test path)
    cmake_parse_arguments(arg "" "" "LINK;ENV" ${ARGN})
    string(REPLACE "/" "_" name ${path})
    add_executable(${name} ${CMAKE_SOURCE_DIR}/tests/unit/${path}.c)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${name} PRIVATE ${arg_LINK} PkgConfig::cmocka)
    add_test(NAME unit/${path} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(unit/${path} PROPERTIES TIMEOUT 120 LABELS unit)
    if(arg_ENV)
        set_tests_properties(unit/${path} PROPERTIES ENVIRONMENT "${arg_ENV}")
    endif()
endfunction()

# fuzz_target(<name> LINK <library>...)
#
# fuzz/<name>.c defines int fuzz_one(const uint8_t *bytes, size_t size). Built by afl-clang-fast it
# is an AFL++ persistent harness; built by anything else it replays the files named on its command
# line, and ctest replays the seeds and regressions of fuzz/corpus/<name> in every build.
function(fuzz_target name)
    cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
    add_executable(fuzz_${name} ${CMAKE_SOURCE_DIR}/fuzz/${name}.c ${CMAKE_SOURCE_DIR}/fuzz/driver.c)
    set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    target_link_libraries(fuzz_${name} PRIVATE ${arg_LINK})
    add_test(NAME fuzz/${name} COMMAND fuzz_${name} ${CMAKE_SOURCE_DIR}/fuzz/corpus/${name})
    set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
endfunction()

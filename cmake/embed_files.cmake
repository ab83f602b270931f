# embed_files(<out.c> <symbol> <file>...)
#
# Makes a C source that holds the files' bytes as texts: const char *const <symbol>[], ended by
# NULL. Run as a script it does the work; included it defines the function.
if(CMAKE_SCRIPT_MODE_FILE)
    set(source "/* made from files; see cmake/embed_files.cmake */\n#include <stddef.h>\n")
    string(APPEND source "extern const char *const ${SYMBOL}[];\nconst char *const ${SYMBOL}[] = {\n")
    string(REPLACE "," ";" FILES "${FILES}")
    foreach(file IN LISTS FILES)
        file(READ ${file} hex HEX)
        string(REGEX REPLACE "(................................)" "\\1\"\n    \"" hex "${hex}")
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
        string(APPEND source "    \"${hex}\",\n")
    endforeach()
    string(APPEND source "    NULL,\n};\n")
    file(WRITE ${OUT} "${source}")
    return()
endif()

set(EMBED_FILES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(embed_files out symbol)
    string(REPLACE ";" "," files "${ARGN}")
    add_custom_command(
        OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} -DFILES=${files}
                -P ${EMBED_FILES_SCRIPT}
        DEPENDS ${ARGN} ${EMBED_FILES_SCRIPT}
        COMMENT "Embedding ${symbol}"
        VERBATIM)
endfunction()

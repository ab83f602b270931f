# How everything is compiled. Assertions stay on in every build type.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

option(WARNINGS_AS_ERRORS "Fail the build on a warning" ON)
set(SANITIZE "" CACHE STRING "Sanitizers of every object, such as address,undefined")
option(COVERAGE "Count executed lines (gcov)" OFF)

include_directories(${CMAKE_SOURCE_DIR})
add_compile_definitions(_POSIX_C_SOURCE=200809L PROGRAM_VERSION="${PROJECT_VERSION}")
add_compile_options(
    -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wwrite-strings -Wcast-qual -Wundef -Wformat=2 -Wno-missing-field-initializers
    -fno-common -fstack-protector-strong
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(WARNINGS_AS_ERRORS)
    add_compile_options(-Werror)
endif()
if(SANITIZE)
    set(CMAKE_C_FLAGS_RELEASE "-O1 -g")
    add_compile_options(-fsanitize=${SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
if(COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()

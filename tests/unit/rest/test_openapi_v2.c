/* The old OpenAPI document, against bytes that another encoder made. */
#include "fakeapi/rest/openapi_v2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"

static const char want[] =
    "0a03322e30429702128e010a2a2f6170692f76312f6e616d657370616365732f7b6e616d65737061"
    "63657d2f706f64732f7b6e616d657d1260425e42150a1312111a0f12057175657279220664727952"
    "756e6a450a1f782d6b756265726e657465732d67726f75702d76657273696f6e2d6b696e64122212"
    "2067726f75703a2022220a6b696e643a20506f640a76657273696f6e3a2076310a1283010a1a2f61"
    "7069732f612e622f76322f7468696e67732f7b6e616d657d1265426342150a1312111a0f12057175"
    "657279220664727952756e6a4a0a1f782d6b756265726e657465732d67726f75702d76657273696f"
    "6e2d6b696e641227122567726f75703a2022612e62220a6b696e643a205468696e670a7665727369"
    "6f6e3a2076320a";

static void test_document(void **state)
{
    struct kind pods = {.group = (char[]){""},
                        .kind = (char[]){"Pod"},
                        .plural = (char[]){"pods"},
                        .namespaced = true};
    struct kind things = {
        .group = (char[]){"a.b"}, .kind = (char[]){"Thing"}, .plural = (char[]){"things"}};
    const struct kind_version v1 = {.name = (char[]){"v1"}, .api_version = (char[]){"v1"}};
    const struct kind_version v2 = {.name = (char[]){"v2"}, .api_version = (char[]){"a.b/v2"}};
    const struct group_entry entries[] = {
        {&pods,   &v1},
        {&things, &v2}
    };
    struct buffer document = BUFFER_INIT(4096);
    char *hex;

    (void)state;
    openapi_v2_append(&document, entries, 2);
    hex = xcalloc(2 * document.size + 1, 1);
    digest_hex((const uint8_t *)document.bytes, document.size, hex);
    assert_string_equal(hex, want);
    free(hex);
    buffer_release(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_document)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

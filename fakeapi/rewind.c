#include "fakeapi/rewind.h"

#include "controller/base/buffer.h"
#include "fakeapi/fakeapi.h"
#include "fakeapi/load.h"

bool fakeapi_rewind(void *root, uint64_t revision, struct error *err)
{
    struct buffer text = BUFFER_INIT(LOAD_FILE_BYTES_MAX);
    bool ok = fakeapi_host.dump(root, revision, &text, err) &&
              fakeapi_host.restore(root, buffer_text(&text), text.size, err);

    buffer_release(&text);
    return ok;
}

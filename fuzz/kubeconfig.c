/* Properties of kube/kubeconfig_wire: whatever is in the file, it is taken whole or refused with
 * words, and what is taken is fit to be used. */
#include <assert.h>
#include <string.h>

#include "controller/kube/kubeconfig_wire.h"
#include "fuzz/harness.h"

static void check_pem(const char *pem, const char *path)
{
    assert(pem == NULL || path == NULL);
    assert(pem == NULL || strstr(pem, "-----BEGIN ") != NULL);
    assert(path == NULL || path[0] != '\0');
}

static void check_taken(const struct kubeconfig *config)
{
    assert(config->server != NULL && config->server[0] != '\0');
    check_pem(config->ca_pem, config->ca_path);
    check_pem(config->certificate_pem, config->certificate_path);
    check_pem(config->key_pem, config->key_path);
    assert((config->certificate_pem == NULL && config->certificate_path == NULL) ==
           (config->key_pem == NULL && config->key_path == NULL));
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    static const char *const contexts[] = {NULL, "a"};

    for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
        struct kubeconfig config = {0};
        struct kubeconfig_position position = {0};
        struct error err = ERROR_INIT;

        if (kubeconfig_parse(bytes, size, contexts[i], &config, &position, &err))
            check_taken(&config);
        else
            assert(err.kind != ERROR_NONE && err.text[0] != '\0' && config.server == NULL);
        kubeconfig_release(&config);
    }
    return 0;
}

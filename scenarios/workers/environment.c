/* environment - see environment.h. */
#include "scenarios/workers/environment.h"

#include <stdlib.h>

#include "controller/base/text.h"

bool environment_is_github(void)
{
    return text_equal(getenv("GITHUB_ACTIONS"), "true");
}

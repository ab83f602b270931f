#include "controller/agents/admission_decide.h"

enum admission admission_decide(const struct admission_view *view)
{
    size_t under_way = view->load.starting + view->load.ending;

    if (view->part == ADMISSION_NONE || !view->bounded)
        return ADMISSION_GO;
    if (view->others_wait)
        return ADMISSION_HOLD; /* none overtakes, or those who wait would wait for ever */
    return view->part == ADMISSION_STARTING && under_way > 0 ? ADMISSION_HOLD : ADMISSION_GO;
}

bool admission_is_crowded(const struct admission_load *load)
{
    return load->starting + load->ending > 1;
}

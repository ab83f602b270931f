/* collector_decide - what the garbage collector does with an object.
 *
 * Source: kubernetes pkg/controller/garbagecollector, attemptToDeleteItem and
 * processDeletingDependentsItem. */
#include "fakeapi/cluster/collector_decide.h"

static enum collector_action decide_deleting(const struct collector_view *view)
{
    if (view->orphan_finalizer)
        return COLLECT_ORPHAN_DEPENDENTS;
    if (!view->foreground_finalizer)
        return COLLECT_NOTHING; /* K7 */
    return view->has_blocking_dependents ? COLLECT_DELETE_DEPENDENTS : COLLECT_RELEASE_FOREGROUND;
}

enum collector_action collector_decide(const struct collector_view *view)
{
    if (view->deleting)
        return decide_deleting(view);
    if (view->unknown > 0 || view->absent + view->waiting == 0)
        return COLLECT_NOTHING;
    if (view->solid > 0)
        return COLLECT_STRIP;
    if (view->waiting > 0 && view->has_dependents)
        return COLLECT_DELETE_FOREGROUND;
    if (view->orphan_finalizer)
        return COLLECT_DELETE_ORPHAN;
    return view->foreground_finalizer ? COLLECT_DELETE_FOREGROUND : COLLECT_DELETE_BACKGROUND;
}

"""rights: what a Role grants, what was asked for, and why some of it is not."""

ACCOUNT = "system:serviceaccount:ai-agents:agent-controller"

# (verb, resource) that RULES 9.1 grants and that the tests of this folder never see asked for.
UNASKED = {
    "for what the controller may come to do with what it reads": {
        *((verb, resource) for resource in ("stations", "agentdefinitions") for verb in ("list", "watch")),
        ("delete", "jobs"), ("get", "pods"), ("watch", "pods"),
        ("update", "agents"), ("get", "agents/status"), ("update", "agents/status")},
    "pruning and Replace, where a test has none": {("delete", "agents")},
    "checked by an admission plugin that is off in fakeapi": {
        ("update", "agents/finalizers"), ("update", "agentspawners/finalizers")},
    "for AgentSpawners, which this build does not start": {
        ("create", "agents"), ("get", "agentspawners"), ("list", "agentspawners"),
        ("watch", "agentspawners"), ("patch", "agentspawners/status")},
    "for the finalizer of batch runs, which this build does not start": {("patch", "agents")},
}


def granted(role):
    """(verb, resource) of all that it grants."""
    return {(verb, resource) for rule in role["rules"] for verb in rule["verbs"]
            for resource in rule["resources"]}


def complaints(role, requests, unasked=frozenset()):
    """What is wrong, a line each: refused, used and not granted, granted and neither used nor
    accounted for, above or in unasked. requests are the account's in the server's journal."""
    refused = [one for one in requests if one["status"] in (401, 403)]
    used = {(one["verb"], one["resource"]) for one in requests}
    idle = granted(role) - used - set().union(unasked, *UNASKED.values())
    return [*(f"refused: {one}" for one in refused[:3]),
            *(f"used and not granted: {one}" for one in sorted(used - granted(role))),
            *(f"granted and never used: {one}" for one in sorted(idle))]

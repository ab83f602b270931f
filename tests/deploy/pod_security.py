"""pod_security: what the Pod Security Standards say of a pod (the parts that our pods can touch).

https://kubernetes.io/docs/concepts/security/pod-security-standards/
"""
BASELINE_CAPABILITIES = {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
                         "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}
RESTRICTED_VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral",
                      "persistentVolumeClaim", "projected", "secret"}
PROFILES = ("RuntimeDefault", "Localhost")


def containers(spec):
    return [one for key in ("initContainers", "containers", "ephemeralContainers")
            for one in spec.get(key) or []]


def baseline(spec):
    """What breaks the level baseline, a line each."""
    found = [f"{key} is true" for key in ("hostNetwork", "hostPID", "hostIPC") if spec.get(key)]
    found += [f"volume {volume['name']} is a hostPath" for volume in spec.get("volumes") or []
              if "hostPath" in volume]
    for where, context in contexts(spec):
        if context.get("privileged"):
            found.append(f"{where} is privileged")
        more = set((context.get("capabilities") or {}).get("add") or []) - BASELINE_CAPABILITIES
        if more:
            found.append(f"{where} adds {sorted(more)}")
        if (context.get("seccompProfile") or {}).get("type") == "Unconfined":
            found.append(f"{where} has no seccomp profile")
        if context.get("procMount", "Default") != "Default":
            found.append(f"{where} has another /proc")
        if context.get("sysctls"):
            found.append(f"{where} sets sysctls")
    found += [f"container {one['name']} has a host port" for one in containers(spec)
              for port in one.get("ports") or [] if port.get("hostPort")]
    return found


def restricted(spec):
    """What breaks the level restricted, a line each."""
    found = baseline(spec)
    pod = spec.get("securityContext") or {}
    found += [f"volume {volume['name']} is of another kind" for volume in spec.get("volumes") or []
              if not (set(volume) - {"name"}) <= RESTRICTED_VOLUMES]
    if pod.get("runAsUser") == 0:
        found.append("the pod runs as root")
    for one in containers(spec):
        where, context = f"container {one['name']}", one.get("securityContext") or {}
        if context.get("allowPrivilegeEscalation") is not False:
            found.append(f"{where} may gain privileges")
        if not context.get("runAsNonRoot", pod.get("runAsNonRoot")):
            found.append(f"{where} may run as root")
        if context.get("runAsUser") == 0:
            found.append(f"{where} runs as root")
        profile = context.get("seccompProfile") or pod.get("seccompProfile") or {}
        if profile.get("type") not in PROFILES:
            found.append(f"{where} has no seccomp profile")
        capabilities = context.get("capabilities") or {}
        if "ALL" not in (capabilities.get("drop") or []):
            found.append(f"{where} keeps capabilities")
        if not set(capabilities.get("add") or []) <= {"NET_BIND_SERVICE"}:
            found.append(f"{where} adds capabilities")
    return found


def contexts(spec):
    yield "the pod", spec.get("securityContext") or {}
    for one in containers(spec):
        yield f"container {one['name']}", one.get("securityContext") or {}

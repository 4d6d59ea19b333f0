"""What people do with python3-kubernetes, on the server of a kubeconfig. Prints what it saw."""

import sys

from kubernetes import client, config, dynamic, watch

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()


def configmap(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"test": "python"}), data=data)


core.create_namespaced_config_map("default", configmap("a", x="1"))
listed = core.list_namespaced_config_map("default", label_selector="test=python")
print("listed", [item.metadata.name for item in listed.items])

for body in ({"data": {"y": "2"}}, [{"op": "remove", "path": "/data/x"}]):
    print("patched", core.patch_namespaced_config_map("a", "default", body).data)

events = watch.Watch()
stream = events.stream(
    core.list_namespaced_config_map,
    "default",
    label_selector="test=python",
    resource_version=listed.metadata.resource_version,
    timeout_seconds=30,
)
for event in stream:
    print("watched", event["type"], event["object"].metadata.name, event["object"].data)
    if event["type"] == "DELETED":
        events.stop()
    elif event["object"].data == {"y": "2"}:
        core.delete_namespaced_config_map("a", "default")

try:
    core.read_namespaced_config_map("a", "default")
except client.ApiException as error:
    print("refused", error.status, error.reason)

finder = dynamic.DynamicClient(client.ApiClient())
deployments = finder.resources.get(api_version="apps/v1", kind="Deployment")
print("found", deployments.group_version, deployments.name, deployments.namespaced, "scale" in deployments.subresources)

group = "python.example.com"
definitions = finder.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
definitions.create(
    body={
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "snakes." + group},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "snakes", "kind": "Snake"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "spec": {"type": "object", "properties": {"length": {"type": "integer", "default": 3}}}
                            },
                        }
                    },
                }
            ],
        },
    }
)
for event in definitions.watch(field_selector="metadata.name=snakes." + group, timeout=30):
    conditions = event["object"].status.conditions or []
    if any(each.type == "Established" and each.status == "True" for each in conditions):
        break
finder.resources.invalidate_cache()
snakes = finder.resources.get(api_version=group + "/v1", kind="Snake")
body = {"apiVersion": group + "/v1", "kind": "Snake", "metadata": {"name": "kaa"}, "spec": {}}
made = snakes.create(body=body, namespace="default")
print("created", made.kind, made.spec.length)
patched = snakes.patch(
    name="kaa", namespace="default", body={"spec": {"length": 9}}, content_type="application/merge-patch+json"
)
print("patched", patched.spec.length)

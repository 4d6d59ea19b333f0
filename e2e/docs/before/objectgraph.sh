# A VM that lacks a secret, so that it waits, and has a network.
kubectl apply -f "$BEFORE/objectgraph.yaml"
kubectl wait vm/web --for=jsonpath={.status.created}=true --timeout=90s
kubectl wait vmi/web --for=jsonpath={.status.phase}=Scheduling --timeout=90s

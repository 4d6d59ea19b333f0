# A machine that lacks a secret, so that it waits, and has a network.
kubectl apply -f "$BEFORE/objectgraph.yaml"
kubectl wait pvc/web-root --for=jsonpath={.status.phase}=Bound --timeout=90s
kubectl wait vmi/web --for=jsonpath={.status.phase}=Scheduling --timeout=90s

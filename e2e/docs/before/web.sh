# A VM web that runs.
kubectl apply -f "$BEFORE/web.yaml"
kubectl wait vm/web --for=condition=Ready --timeout=90s

# A VM web that does not run.
sed 's/runStrategy: Always/runStrategy: Manual/' "$BEFORE/web.yaml" | kubectl apply -f -
until kubectl get dv web-root --ignore-not-found -o name | grep -q web-root; do sleep 0.2; done
kubectl wait dv/web-root --for=jsonpath={.status.phase}=Succeeded --timeout=90s

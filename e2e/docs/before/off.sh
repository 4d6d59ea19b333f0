# A machine web that does not run.
sed 's/runStrategy: Always/runStrategy: Manual/' "$BEFORE/web.yaml" | kubectl apply -f -
kubectl wait dv/web-root --for=jsonpath={.status.phase}=Succeeded --timeout=90s

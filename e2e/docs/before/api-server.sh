# Widgets, whose stored version has just moved from v1 to v2.
kubectl apply -f "$BEFORE/api-server.yaml"
kubectl wait crd/widgets.example.com --for=condition=Established --timeout=60s
printf 'apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: web }\n' | kubectl apply -f -
sed -e 's/storage: true/storage: was/' -e 's/storage: false/storage: true/' -e 's/storage: was/storage: false/' \
  "$BEFORE/api-server.yaml" | kubectl apply -f -

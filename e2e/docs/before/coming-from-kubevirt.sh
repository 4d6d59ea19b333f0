. "$BEFORE/off.sh"
# The cluster and Vireo are one server here: when the page turns from one to the other, the VM of the cluster goes.
vireo() {
  if [ "$1" = kubeconfig ]; then kubectl delete vm,dv,pvc --all --now --timeout=60s >&2; fi
  command vireo "$@"
}

#!/bin/sh
# Backs up a VM: the manifests of everything it needs, and the data on its claims.
#
#   backup.sh NAME DIRECTORY
#
# Uses vireo and kubectl with the current KUBECONFIG and the namespace of its context. A running VM is backed up
# through a snapshot and keeps running; a stopped VM is read directly. The backup contains the Secrets of the VM:
# keep it private.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 NAME DIRECTORY" >&2; exit 2; }
name=$1
directory=$2
export="backup-$name"

umask 077
mkdir -p "$directory"

# Everything that the VM requires, in the order in which it can be applied elsewhere. With --strict, the backup
# fails if anything is missing.
vireo objectgraph "$name" --exclude-optional --include-secrets --strict -o manifests > "$directory/manifests.yaml"

# The claims, and the size that each requests. Memory dumps and persistent firmware state (EFI, TPM) are not disks and
# are skipped.
vireo objectgraph "$name" --exclude-optional --kind persistentvolumeclaims -o flat |
  awk 'NR > 1 && $5 == "present" && $7 !~ /memoryDump|metadata.labels/ { print $3 }' |
  while read -r claim; do
    kubectl get persistentvolumeclaim "$claim" -o jsonpath='{.metadata.name}{" "}{.spec.resources.requests.storage}{" "}{.spec.accessModes[0]}{" "}{.spec.volumeMode}{" "}{.spec.storageClassName}{"\n"}'
  done > "$directory/claims"

if [ -s "$directory/claims" ]; then
  cleanup() {
    vireo vmexport delete "$export" 2> /dev/null
    kubectl delete virtualmachinesnapshot "$export" --ignore-not-found > /dev/null
  }
  trap cleanup EXIT

  if [ -n "$(kubectl get virtualmachineinstance "$name" --ignore-not-found -o name)" ]; then
    # All disks at the same point in time; the guest can no longer change them.
    kubectl apply -f - << MANIFEST
apiVersion: snapshot.kubevirt.io/v1beta1
kind: VirtualMachineSnapshot
metadata:
  name: $export
spec:
  source:
    apiGroup: kubevirt.io
    kind: VirtualMachine
    name: $name
MANIFEST
    kubectl wait "virtualmachinesnapshot/$export" --for=jsonpath='{.status.readyToUse}'=true --timeout=5m
    vireo vmexport create "$export" --snapshot="$export"
    prefix="$export-"
  else
    vireo vmexport create "$export" --vm="$name"
    prefix=""
  fi
  kubectl wait "virtualmachineexport/$export" --for=jsonpath='{.status.phase}'=Ready --timeout=10m
  offered=$(kubectl get virtualmachineexport "$export" -o jsonpath='{.status.links.external.volumes[*].name}')

  while read -r claim _; do
    case " $offered " in
      *" $prefix$claim "*)
        vireo vmexport download "$export" --volume="$prefix$claim" --output="$directory/$claim.img.gz" --retry=3
        ;;
      # Read-only disks are not in the snapshot, and do not change.
      *) vireo vmexport download "$export-$claim" --pvc="$claim" --output="$directory/$claim.img.gz" --retry=3 ;;
    esac < /dev/null
  done < "$directory/claims"
fi

echo "$name is in $directory"

#!/bin/sh
# Backs a virtual machine up: everything that it needs, as manifests, and the data of its claims.
#
#   backup.sh NAME DIRECTORY
#
# vireo and kubectl are used as they are set up: KUBECONFIG, and the namespace of its context. A machine that runs is
# backed up by way of a snapshot, and goes on; one that does not run is read as it is. The Secrets of the machine are in
# the backup: keep it to yourself.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 NAME DIRECTORY" >&2; exit 2; }
name=$1
directory=$2
export="backup-$name"

umask 077
mkdir -p "$directory"

# What the machine cannot do without, to be applied elsewhere: each object after what it needs. With --strict there is no
# backup that lacks something.
vireo objectgraph "$name" --exclude-optional --include-secrets --strict -o manifests > "$directory/manifests.yaml"

# The claims among it, and what each asks for. Dumps of memory, and the state of UEFI and TPMs, are not on disks: they
# are left out.
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
    # One moment of all its disks, which the guest cannot change any more.
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
      # What the machine only reads is in no snapshot of it, and does not change.
      *) vireo vmexport download "$export-$claim" --pvc="$claim" --output="$directory/$claim.img.gz" --retry=3 ;;
    esac < /dev/null
  done < "$directory/claims"
fi

echo "$name is in $directory"

#!/bin/sh
# Restores a VM from a backup that backup.sh created, to the cluster in KUBECONFIG.
#
#   restore.sh DIRECTORY
#
# Restores the data first: when the VM is created, its claims are populated, so it starts if its run strategy says so.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
directory=$1

while read -r claim size access mode class; do
  vireo image-upload pvc "$claim" --size="$size" --access-mode="$access" --storage-class="$class" \
    --volume-mode="$(echo "$mode" | tr '[:upper:]' '[:lower:]')" --image-path="$directory/$claim.img.gz" < /dev/null
done < "$directory/claims"

kubectl apply -f "$directory/manifests.yaml"

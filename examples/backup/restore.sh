#!/bin/sh
# Restores a virtual machine that backup.sh has backed up, into whatever KUBECONFIG leads to.
#
#   restore.sh DIRECTORY
#
# The data comes first: when the machine is made, its claims are there and filled, and it starts if it is to run.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
directory=$1

while read -r claim size access mode class; do
  vireo image-upload pvc "$claim" --size="$size" --access-mode="$access" --storage-class="$class" \
    --volume-mode="$(echo "$mode" | tr '[:upper:]' '[:lower:]')" --image-path="$directory/$claim.img.gz" < /dev/null
done < "$directory/claims"

kubectl apply -f "$directory/manifests.yaml"

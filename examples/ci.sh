#!/bin/sh
# Starts Vireo and a VM, runs a command, then stops everything. If anything fails, collects logs first.
#
#   examples/ci.sh COMMAND [ARGUMENT…]
set -eu
vm=${VM:-runner}
artifacts=${ARTIFACTS:-artifacts}
launched=

finish() {
  code=$?
  trap - EXIT
  if [ "$code" -ne 0 ]; then
    mkdir -p "$artifacts"
    vireo logs >"$artifacts/vireo.log" || true
    vireo support-bundle -f "$artifacts/support.zip" || true
  fi
  [ -z "$launched" ] || vireo delete "$vm" --force || true
  vireo down || true
  exit "$code"
}

vireo up --detach
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
KUBECONFIG=$(vireo kubeconfig)
export KUBECONFIG
vireo image build
vireo launch --name "$vm"
launched=yes
vireo wait "$vm" --for=agent --timeout 5m

"$@"

# Any disk, and a VM to be maintained.
qemu-img create -q -f qcow2 disk.qcow2 16M
. "$BEFORE/web.sh"

# Any disk.
qemu-img create -q -f qcow2 disk.qcow2 16M

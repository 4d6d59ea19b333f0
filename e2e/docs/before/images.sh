# Any disk.
qemu-img create -q -f qcow2 fedora.qcow2 16M

# An appliance of VMware. What is on its disk does not matter to anybody here.
qemu-img create -q -f vmdk -o subformat=streamOptimized web-disk1.vmdk 16M
echo '<Envelope/>' > web.ovf
tar -cf web.ova web.ovf web-disk1.vmdk
rm web.ovf web-disk1.vmdk

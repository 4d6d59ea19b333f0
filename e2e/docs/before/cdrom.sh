# Discs, and a VM web that is off. What is on the discs does not matter to anybody here.
truncate -s 1M windows.iso drivers.iso debian.iso
. "$BEFORE/off.sh"

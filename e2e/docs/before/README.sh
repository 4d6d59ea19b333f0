# A disc.
truncate -s 1M windows.iso

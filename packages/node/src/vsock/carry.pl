# Connects to an address of a family that Node.js has no sockets for, says so on standard output, and carries bytes
# between the connection and file descriptor 3 until either of them ends.
# Arguments: the number of the family, and the address as the kernel reads it, in hexadecimal.
use strict;
use warnings;

use constant { SOCK_STREAM => 1, BOTH_WAYS => 2, CHUNK_BYTES => 65536 };

my ($family, $address) = @ARGV;
$SIG{PIPE} = 'IGNORE';

sub fail {
  print STDERR "$!\n";
  exit 1;
}

# Whole chunks, one after the other: who reads slowly is waited for.
sub carry {
  my ($from, $to) = @_;
  while (sysread($from, my $chunk, CHUNK_BYTES)) {
    my $done = 0;
    while ($done < length $chunk) {
      my $written = syswrite($to, $chunk, length($chunk) - $done, $done);
      return unless defined $written;
      $done += $written;
    }
  }
}

open(my $client, '+<&=', 3) or fail();
socket(my $guest, $family, SOCK_STREAM, 0) or fail();
connect($guest, pack('H*', $address)) or fail();
syswrite(STDOUT, "connected\n");
close(STDOUT);

my $child = fork();
fail() unless defined $child;
if ($child == 0) {
  carry($client, $guest);
  # The other process reads its end.
  shutdown($guest, BOTH_WAYS);
  exit 0;
}
carry($guest, $client);
kill('KILL', $child);

# Sends router advertisements to guests: Node.js has no raw sockets. Argument: the seconds after which they are sent again.
# Lines of standard input: "+vt0 MESSAGE" begins with a device, the message in hexadecimal digits, and "-vt0" ends with it.
# "+vt0 MESSAGE 1024": rules bring its solicitations by the loopback device, from the address fe80::67:NUMBER. Ends when its
# input does.
use strict;
use warnings;
use Socket qw(:DEFAULT AF_INET6 IPPROTO_IPV6 IPPROTO_ICMPV6 IPV6_MULTICAST_HOPS inet_pton pack_sockaddr_in6 unpack_sockaddr_in6);
use constant { LOOPBACK => 1, IPV6_MULTICAST_LOOP => 19, ICMP6_FILTER => 1, SIOCGIFINDEX => 0x8933, SOLICITATION => 133, MOST_A_SECOND => 5 };

my $seconds = shift;
my $numbered = substr(inet_pton(AF_INET6, 'fe80::67:0'), 0, 14);
my $everybody = inet_pton(AF_INET6, 'ff02::1');
socket(my $socket, AF_INET6, SOCK_RAW, IPPROTO_ICMPV6) or die "cannot open a raw socket: $!\n";
# Guests take only what no router has handed on, and the kernel is to give us nothing but solicitations.
setsockopt($socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, pack('i', 255)) or die "IPV6_MULTICAST_HOPS: $!\n";
setsockopt($socket, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, pack('i', 0)) or die "IPV6_MULTICAST_LOOP: $!\n";
my @refused = (0xffffffff) x 8;
$refused[SOLICITATION >> 5] &= ~(1 << (SOLICITATION & 31));
setsockopt($socket, IPPROTO_ICMPV6, ICMP6_FILTER, pack('L8', @refused)) or die "ICMP6_FILTER: $!\n";

# By device: its index. By index: its message, and how often its guest has been answered in this second. By the number of a
# card: its index.
my (%index, %message, %answered, %card);
my $now = time;

sub advertise {
  my ($index) = @_;
  # A device that is gone, or has no guest yet, is no error.
  send($socket, $message{$index}, 0, pack_sockaddr_in6(0, $everybody, $index));
}

sub obey {
  my ($verb, $device, $hex, $number) = $_[0] =~ /^([+-])(\S{1,15})(?: ([0-9a-f]+))?(?: (\d+))?$/ or return;
  my $before = delete $index{$device};
  if (defined $before) {
    delete $answered{$before};
    delete $message{$before};
    delete @card{grep { $card{$_} == $before } keys %card};
  }
  return if $verb eq '-' || !defined $hex;
  my $request = pack('a16 x24', $device);
  ioctl($socket, SIOCGIFINDEX, $request) or return;
  my $index = $index{$device} = unpack('x16 i', $request);
  $message{$index} = pack('H*', $hex);
  $answered{$index} = 0;
  $card{$number} = $index if defined $number;
  advertise($index);
}

sub answer {
  my $from = recv($socket, my $solicitation, 1500, 0) or return;
  my (undef, $address, $index) = unpack_sockaddr_in6($from);
  $index = $card{unpack('x14 n', $address)} if $index == LOOPBACK && substr($address, 0, 14) eq $numbered;
  return if !defined $index || !exists $answered{$index} || $answered{$index} >= MOST_A_SECOND;
  $answered{$index}++;
  advertise($index);
}

my $input = '';
my $due = $now + $seconds;
while (1) {
  my $ready = '';
  vec($ready, fileno(STDIN), 1) = 1;
  vec($ready, fileno($socket), 1) = 1;
  select($ready, undef, undef, $due > $now ? $due - $now : 0);
  if (time != $now) {
    $now = time;
    $answered{$_} = 0 for keys %answered;
  }
  if (vec($ready, fileno(STDIN), 1)) {
    sysread(STDIN, $input, 65536, length $input) or exit 0;
    obey($1) while $input =~ s/^(.*)\n//;
  }
  answer() if vec($ready, fileno($socket), 1);
  next if $now < $due;
  advertise($_) for keys %answered;
  $due = $now + $seconds;
}

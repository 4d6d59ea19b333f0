# Runs programs for the agent, and several at a time: while the agent itself forks, which takes it milliseconds because it is
# large, it does nothing else. A request on standard input: its number, the lengths of the words and of the input (four bytes
# each), the words, each ended by NUL, and the input. A reply: the number, the exit status (256 and more: by a signal;
# NOT_FOUND: there is no such program), the lengths of what it printed, and both texts. Ends when its input does, and the
# programs that run: nft takes half of its input for all, and must not get half of it because the agent was killed.
#
# nft has a reply more, before it gets its input: STARTED, with its process id. So whoever sees its changes knows whose they are.
#
# The word "netfilter:" is no program: the input goes to the kernel's nftables as it is, a transaction of netlink. The second
# word is the number of replies that it gives.
use strict;
use warnings;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use POSIX qw(_exit);
use Socket qw(SOCK_RAW MSG_DONTWAIT);
use constant { NOT_FOUND => 1002, STARTED => 1003, CHUNK => 65536, AF_NETLINK => 16, NETLINK_NETFILTER => 12, NLMSG_ERROR => 2 };

# Signals to a whole group, as by Ctrl-C, are the agent's: it still has to clean up.
my @IGNORED = qw(PIPE INT TERM HUP);
@SIG{@IGNORED} = ('IGNORE') x @IGNORED;
binmode STDIN;
binmode STDOUT;
my ($requests, $is_orphan, $netfilter, %jobs) = ('', 0);

sub reply {
  my ($number, $status, $out, $err) = @_;
  my $text = pack('N4', $number, $status, length $out, length $err) . $out . $err;
  while (length $text && !$is_orphan) {
    my $written = syswrite(STDOUT, $text);
    $is_orphan = 1 unless defined $written;
    substr($text, 0, $written // 0, '');
  }
}

sub is_there {
  my ($program) = @_;
  return -x $program if $program =~ m{/};
  return scalar grep { -x "$_/$program" && !-d _ } split /:/, $ENV{PATH} // '/usr/sbin:/usr/bin:/sbin:/bin';
}

# The kernel has done all of a transaction, or nothing, when it has been sent; its replies wait.
sub transact {
  my ($input, $replies) = @_;
  if (!$netfilter) {
    socket(my $socket, AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER) or return "socket: $!";
    $netfilter = $socket;
  }
  # What an earlier one has left.
  1 while defined recv($netfilter, my $old, CHUNK, MSG_DONTWAIT);
  defined send($netfilter, $input, 0) or return "send: $!";
  my $failure;
  while ($replies > 0) {
    defined recv($netfilter, my $text, CHUNK, MSG_DONTWAIT) or return $failure // "no reply: $!";
    while (length $text >= 20) {
      my ($length, $type, undef, $sequence, undef, $error) = unpack('L S S L L l', $text);
      if ($type == NLMSG_ERROR) {
        $replies--;
        local $! = -$error;
        $failure //= "message $sequence: $!" if $error;
      }
      substr($text, 0, ($length + 3) & ~3, '');
    }
  }
  return $failure;
}

sub start {
  my ($number, $input, @words) = @_;
  if ($words[0] eq 'netfilter:') {
    my $failure = transact($input, $words[1]);
    return reply($number, defined $failure ? 1 : 0, '', $failure // '');
  }
  return reply($number, NOT_FOUND, '', '') unless is_there($words[0]);
  pipe(my $in_read, my $in) && pipe(my $out, my $out_write) && pipe(my $err, my $err_write) or return reply($number, 255, '', "pipe: $!");
  my $pid = fork;
  return reply($number, 255, '', "fork: $!") unless defined $pid;
  if (!$pid) {
    @SIG{@IGNORED} = ('DEFAULT') x @IGNORED;
    open(STDIN, '<&', $in_read) && open(STDOUT, '>&', $out_write) && open(STDERR, '>&', $err_write) or _exit(255);
    no warnings 'exec';
    exec { $words[0] } @words or do { syswrite(STDERR, "$words[0]: $!"); _exit(127) };
  }
  fcntl($in, F_SETFL, fcntl($in, F_GETFL, 0) | O_NONBLOCK);
  $jobs{$number} = { pid => $pid, in => $in, input => $input, out => $out, err => $err, text => { out => '', err => '' } };
  reply($number, STARTED, $pid, '') if $words[0] eq 'nft';
  feed($jobs{$number});
}

# Gives a program its input, as much as it takes; one that wants no more is no error.
sub feed {
  my ($job) = @_;
  my $written = length $job->{input} ? syswrite($job->{in}, $job->{input}) : 0;
  return if !defined $written && $!{EAGAIN};
  substr($job->{input}, 0, $written, '') if defined $written;
  delete $job->{in} if !defined $written || !length $job->{input};
}

sub drain {
  my ($job, $which) = @_;
  my $text = \$job->{text}{$which};
  delete $job->{$which} unless sysread($job->{$which}, $$text, CHUNK, length $$text);
}

sub finish {
  my ($number) = @_;
  my $job = delete $jobs{$number};
  waitpid($job->{pid}, 0);
  reply($number, $? & 127 ? 256 + ($? & 127) : $? >> 8, @{ $job->{text} }{qw(out err)});
}

while (!$is_orphan || %jobs) {
  my ($read, $write) = ('', '');
  vec($read, fileno(STDIN), 1) = 1 unless $is_orphan;
  for my $job (values %jobs) {
    $job->{$_} and vec($read, fileno($job->{$_}), 1) = 1 for qw(out err);
    vec($write, fileno($job->{in}), 1) = 1 if $job->{in};
  }
  select($read, $write, undef, undef) >= 0 or next;
  for my $number (keys %jobs) {
    my $job = $jobs{$number};
    feed($job) if $job->{in} && vec($write, fileno($job->{in}), 1);
    $job->{$_} && vec($read, fileno($job->{$_}), 1) and drain($job, $_) for qw(out err);
    finish($number) unless $job->{out} || $job->{err};
  }
  next if $is_orphan || !vec($read, fileno(STDIN), 1);
  sysread(STDIN, $requests, CHUNK, length $requests) or $is_orphan = 1;
  while (length $requests >= 12) {
    my ($number, $words, $input) = unpack('N3', $requests);
    last if length $requests < 12 + $words + $input;
    my $text = substr($requests, 12, $words + $input);
    substr($requests, 0, 12 + $words + $input, '');
    start($number, substr($text, $words), split(/\0/, substr($text, 0, $words), -1));
  }
}

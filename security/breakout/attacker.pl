# Runs with the identity of a guest's QEMU and tries everything that it is told to, on standard input: a line each, with
# a verb, a number and arguments, in percent-encoding. For each thing that it could do it prints the number and how.
# It has no other programs and no files of its own, because that identity can hardly read any: Debian always has Perl.
# Nothing is changed by it: files are opened and closed, names that it makes are removed again.
use strict;
use warnings;
use Fcntl;
use POSIX ();
use Socket;

$| = 1;
$SIG{PIPE} = 'IGNORE';

# ptrace, pidfd_open, pidfd_getfd
my %CALLS = (x86_64 => [101, 434, 438], aarch64 => [117, 434, 438]);
my ($ptrace, $pidfd_open, $pidfd_getfd) = @{ $CALLS{ (POSIX::uname())[4] } || [] };
my $PTRACE_SEIZE = 0x4206;
my $count = 0;
my @scratch;

sub can { print join("\t", @_), "\n" }

# A busy program cannot be written to, but whoever is told so was allowed to.
sub opens {
    my ($path, $flags) = @_;
    sysopen(my $file, $path, $flags | O_NONBLOCK | O_NOCTTY) or return $!{ETXTBSY} ? 1 : 0;
    return 1 if $flags != O_RDONLY;
    my $read = sysread($file, my $byte, 1);
    return defined $read || $!{EAGAIN} || $!{EIO} ? 1 : 0;
}

# Threads of the kernel and the dead have no memory, and everybody may read that.
sub is_filled {
    sysopen(my $file, $_[0], O_RDONLY) or return 0;
    return sysread($file, my $byte, 1);
}

sub lists {
    opendir(my $directory, $_[0]) or return 0;
    return defined readdir($directory);
}

# The other one is not stopped by it, and let go when the process that has it ends.
sub attaches {
    my ($pid) = @_;
    my $child = fork() // die "cannot fork: $!";
    POSIX::_exit(syscall($ptrace, $PTRACE_SEIZE, $pid + 0, 0, 0) == 0 ? 0 : 1) if $child == 0;
    waitpid($child, 0);
    return $? == 0;
}

sub steals {
    my $process = syscall($pidfd_open, $_[0] + 0, 0);
    return 0 if $process < 0;
    my $file = syscall($pidfd_getfd, $process, 0, 0);
    POSIX::close($file) if $file >= 0;
    POSIX::close($process);
    return $file >= 0;
}

# Refused by a socket that nobody listens at: the way to it was open.
sub reaches {
    my ($address) = @_;
    for my $type (SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET) {
        socket(my $socket, AF_UNIX, $type, 0) or next;
        fcntl($socket, F_SETFL, O_NONBLOCK);
        my $peer = sub { my $c = getsockopt($socket, SOL_SOCKET, 17); defined $c && length $c ? unpack('i', $c) : 0 };
        return (1, $peer->()) if connect($socket, $address) || $!{EINPROGRESS};
        return (1, 0) if $!{ECONNREFUSED} || $!{EAGAIN};
        return (0, 0) unless $!{EPROTOTYPE};
    }
    return (0, 0);
}

my %verbs = (
    self => sub {
        my ($id) = @_;
        open(my $status, '<', '/proc/self/status') or die "no status: $!";
        while (<$status>) { chomp; can($id, 'status', split(/:\s*/, $_, 2)) }
        can($id, 'namespace', $_, readlink("/proc/self/ns/$_") // '') for qw(cgroup ipc mnt net pid user uts);
        open(my $groups, '<', '/proc/self/cgroup') or die "no cgroup: $!";
        while (<$groups>) { chomp; can($id, 'cgroup', $_) }
    },
    scratch => sub { push @scratch, $_[1] },
    file => sub {
        my ($id, $path, $mode) = @_;
        can($id, 'read') if opens($path, O_RDONLY);
        can($id, 'write') if opens($path, O_WRONLY);
        can($id, 'chmod') if defined $mode && chmod(oct($mode), $path);
        for my $directory (@scratch) {
            my $name = "$directory/.breakout-$$-" . $count++;
            next unless link($path, $name);
            unlink($name);
            can($id, 'link');
            last;
        }
    },
    directory => sub {
        my ($id, $path, $mode) = @_;
        can($id, 'list') if lists($path);
        can($id, 'chmod') if defined $mode && chmod(oct($mode), $path);
        my $name = "$path/.breakout-$$-" . $count++;
        if (sysopen(my $file, $name, O_WRONLY | O_CREAT | O_EXCL, 0600)) { unlink($name); can($id, 'create') }
        if (symlink('/', $name)) { unlink($name); can($id, 'symlink') }
    },
    device => sub {
        my ($id, $path) = @_;
        can($id, 'read') if sysopen(my $in, $path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        can($id, 'write') if sysopen(my $out, $path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    },
    socket => sub {
        my ($id, $path) = @_;
        can($id, 'connect') if length($path) < 108 && (reaches(pack_sockaddr_un($path)))[0];
    },
    abstract => sub {
        my ($id, $name) = @_;
        my ($is_reached, $peer) = reaches(pack_sockaddr_un("\0$name"));
        can($id, 'connect', $peer) if $is_reached;
    },
    port => sub {
        my ($id, $protocol, $port) = @_;
        socket(my $socket, PF_INET, $protocol eq 'udp' ? SOCK_DGRAM : SOCK_STREAM, 0) or return;
        can($id, 'connect') if connect($socket, pack_sockaddr_in($port, INADDR_LOOPBACK));
    },
    process => sub {
        my ($id, $pid) = @_;
        can($id, 'signal') if kill(0, $pid) && kill('CONT', $pid);
        can($id, 'memory') if opens("/proc/$pid/mem", O_RDWR);
        can($id, 'environ') if opens("/proc/$pid/environ", O_RDONLY);
        can($id, 'maps') if is_filled("/proc/$pid/maps");
        can($id, 'fds') if lists("/proc/$pid/fd");
        can($id, 'root') if lists("/proc/$pid/root/");
        can($id, 'cwd') if lists("/proc/$pid/cwd/");
        can($id, 'ptrace') if $ptrace && attaches($pid);
        can($id, 'steal') if $pidfd_getfd && steals($pid);
        my $nice = getpriority(0, $pid);
        can($id, 'nice') if defined $nice && eval { setpriority(0, $pid, $nice) };
    },
    run => sub {
        my ($id, @words) = @_;
        my $child = open(my $output, '-|') // die "cannot fork: $!";
        if ($child == 0) { open(STDERR, '>', '/dev/null'); exec(@words) or POSIX::_exit(127) }
        my @said = <$output>;
        close($output);
        chomp @said;
        can($id, 'said', $? >> 8, @said);
    },
    # What only serves the plans of a break-out: whatever follows is Perl.
    do => sub {
        my ($id, $code) = @_;
        my $done = eval $code;
        can($id, 'did', $@ eq '' ? ($done // '') : "failed: $@");
    },
);

while (my $line = <STDIN>) {
    chomp $line;
    my ($verb, @arguments) = map { s/%([0-9A-Fa-f]{2})/chr(hex($1))/ger } split(/\t/, $line);
    my $act = $verbs{$verb} or die "unknown verb $verb";
    $act->(@arguments);
}
can('end');

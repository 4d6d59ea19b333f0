import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES, type Capability, isLab } from './capabilities.ts';

describe.skipIf(!isLab)('the lab', () => {
  it.each(Object.entries(CAPABILITIES))('has %s', (_, isThere) => expect(isThere()).toBe(true));

  it('boots without a unit that failed', async () => {
    const { stdout } = await promisify(execFile)('systemctl', ['list-units', '--failed', '--plain', '--no-legend']);
    expect(stdout).toBe('');
  });
});

/** Uses a capability, in namespaces of its own where it would change the host. The last line says that it worked. */
const PROOFS: readonly { capability: Capability; title: string; script: string; says: string }[] = [
  {
    capability: 'cgroup v2',
    title: 'a process that grows beyond the memory of its cgroup is ended, and the cgroup counts it',
    script: `
      group=/sys/fs/cgroup/vireo-test-$$
      trap 'rmdir $group' EXIT
      mkdir $group
      echo 20971520 >$group/memory.max
      echo 0 >$group/memory.swap.max 2>/dev/null || :
      sh -c "echo \\$\\$ >$group/cgroup.procs; exec head --bytes 200M /dev/zero | tail --bytes 200M >/dev/null" || :
      grep -x 'oom_kill [1-9][0-9]*' $group/memory.events >&2 && echo ended`,
    says: 'ended',
  },
  {
    capability: 'systemd',
    title: 'a transient service has a cgroup of its own',
    script: `systemd-run --quiet --wait --pipe --unit vireo-test-$$ sh -c 'sed s/[0-9]*.service/N.service/ /proc/self/cgroup'`,
    says: '0::/system.slice/vireo-test-N.service',
  },
  {
    capability: 'AppArmor',
    title: 'a profile keeps a process from a file',
    script: `
      profile=vireo-test-$$
      trap 'echo "profile $profile {}" | apparmor_parser --remove' EXIT
      echo "profile $profile { / r, /** mrix, deny /etc/hostname r, }" | apparmor_parser --add
      aa-exec --profile $profile cat /etc/hosts >/dev/null
      # Through a pipe: what tests are given as standard output is a socket, which the profile does not let it use.
      aa-exec --profile $profile cat /etc/hostname 2>&1 | cat`,
    says: 'cat: /etc/hostname: Permission denied',
  },
  {
    capability: 'NFS',
    title: 'a directory is exported and mounted',
    script: `
      directory=$(mktemp --directory)
      trap 'umount $directory/client; exportfs -u 127.0.0.1:$directory/server; rm -r $directory' EXIT
      mkdir $directory/server $directory/client
      echo shared >$directory/server/file
      exportfs -o rw,insecure,no_root_squash,fsid=7 127.0.0.1:$directory/server
      mount -t nfs -o vers=4.2 127.0.0.1:$directory/server $directory/client
      cat $directory/client/file`,
    says: 'shared',
  },
  {
    capability: 'VLANs',
    title: 'two hosts reach each other in the same VLAN only',
    script: `
      trap 'ip netns delete vt-c-$$; ip netns delete vt-d-$$' EXIT
      for side in c d; do ip netns add vt-$side-$$; done
      ip -n vt-c-$$ link add wire type veth peer wire netns vt-d-$$
      up() { # namespace, number, VLAN
        ip -n $1 link set wire up
        ip -n $1 link add link wire name wire.$3 type vlan id $3
        ip -n $1 address add 10.$3.0.$2/24 dev wire.$3; ip -n $1 link set wire.$3 up
      }
      up vt-c-$$ 1 7; up vt-d-$$ 2 7; up vt-c-$$ 1 8; up vt-d-$$ 2 9
      ip netns exec vt-c-$$ ping -q -c 1 -w 60 10.7.0.2 >&2
      ip -n vt-c-$$ route add 10.9.0.0/24 dev wire.8
      ip netns exec vt-c-$$ ping -q -c 1 -w 2 10.9.0.2 >&2 || echo 'VLAN 7 only'`,
    says: 'VLAN 7 only',
  },
  {
    capability: 'nftables',
    title: 'a rule is loaded and listed',
    script: `exec unshare --net sh -ec '
      nft add table inet shop
      nft add chain inet shop in "{ type filter hook input priority 0; }"
      nft add rule inet shop in tcp dport 22 drop
      nft list chain inet shop in | grep -o "tcp dport 22 drop"'`,
    says: 'tcp dport 22 drop',
  },
  {
    capability: 'WireGuard',
    title: 'two peers reach each other through the tunnel',
    script: `
      trap 'ip netns delete vt-a-$$; ip netns delete vt-b-$$' EXIT
      for side in a b; do ip netns add vt-$side-$$; done
      a="ip netns exec vt-a-$$" b="ip netns exec vt-b-$$"
      ip -n vt-a-$$ link add wire type veth peer wire netns vt-b-$$
      keyA=$(wg genkey) keyB=$(wg genkey)
      up() { # namespace, number, own key, the other's number, the other's key
        ip -n $1 address add 192.0.2.$2/24 dev wire; ip -n $1 link set wire up
        ip -n $1 link add wg0 type wireguard
        echo $3 | ip netns exec $1 wg set wg0 listen-port 51820 private-key /dev/stdin \\
          peer $(echo $5 | wg pubkey) endpoint 192.0.2.$4:51820 allowed-ips 10.7.0.$4/32
        ip -n $1 address add 10.7.0.$2/24 dev wg0; ip -n $1 link set wg0 up
      }
      up vt-a-$$ 1 $keyA 2 $keyB
      up vt-b-$$ 2 $keyB 1 $keyA
      $a ping -q -c 1 -w 60 10.7.0.2 | grep -o '1 received'`,
    says: '1 received',
  },
  {
    capability: 'vsock',
    title: 'a connection within the host',
    script: `modprobe vsock_loopback
      exec python3 -c '
import socket
server = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
server.bind((socket.VMADDR_CID_ANY, socket.VMADDR_PORT_ANY if hasattr(socket, "VMADDR_PORT_ANY") else 0xffffffff))
server.listen()
client = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
client.connect((1, server.getsockname()[1]))
client.sendall(b"hello")
print(server.accept()[0].recv(5).decode())'`,
    says: 'hello',
  },
  {
    capability: 'access control lists',
    title: 'a user is let in to a file of another',
    script: `
      file=$(mktemp)
      trap 'rm $file' EXIT
      echo secret >$file
      setpriv --reuid 1234567 --clear-groups cat $file 2>/dev/null && echo 'let in without' && exit 1
      setfacl --modify u:1234567:r $file
      setpriv --reuid 1234567 --clear-groups cat $file`,
    says: 'secret',
  },
];

describe.each(PROOFS)('$capability', ({ title, script, says }) => {
  it.skipIf(!isLab)(title, async () => {
    const { stdout } = await promisify(execFile)('sh', ['-ec', script]);
    expect(stdout.trim().split('\n').at(-1)).toBe(says);
  });
});

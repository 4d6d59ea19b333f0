import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeLayout } from '@vireo/node';
import { WebSocket } from 'ws';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { attackAs } from './attacker.ts';
import { userOf } from './inventory.ts';
import { type Machine, NAMESPACE, stopMachine } from './machines.ts';
import type { Scene } from './round.ts';

/** What QEMU says first at its screen. */
const BANNER = /^RFB 003/;
const PATIENCE_MS = 10_000;

/** What somebody gets who opens the screen of a machine: the first bytes, or why there is none. */
async function openScreen(ground: Ground, name: string): Promise<string> {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachineinstances/${name}/vnc`;
  const { ca, cert, key } = ground.admin;
  const socket = new WebSocket(`wss://127.0.0.1:${ground.port}${path}`, 'plain.kubevirt.io', { ca, cert, key });
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve('nothing came'), PATIENCE_MS);
  socket.on('message', (data: Buffer) => resolve(data.toString('latin1')));
  socket.on('unexpected-response', (_, response) => resolve(`refused with ${response.statusCode}`));
  socket.on('error', (error) => resolve(`failed: ${error.message}`));
  socket.on('close', () => resolve('closed'));
  const answer = await promise;
  clearTimeout(timer);
  socket.terminate();
  return answer;
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

/** Does things as a machine's QEMU; the answer is what the last of them came to. */
async function doAs({ pid }: Machine, code: string): Promise<string> {
  const { outcomes } = await attackAs(pid, [{ verb: 'do', words: [code] }]);
  return outcomes[0]?.get('did')?.[0] ?? '';
}

/** A guest puts other things in the place of its screen's socket: its users must not be led elsewhere. */
export async function plantScreens({ ground }: Scene, machine: Machine, other: Machine, trial: Trial): Promise<void> {
  const { vnc, own, name } = machine;
  const { libvirtSocket } = nodeLayout(ground.home, true);
  const [at, kept] = [quoted(vnc), quoted(join(own, 'kept'))];
  const tricks: Readonly<Record<string, string>> = {
    'a link to the socket of libvirtd': `symlink(${quoted(libvirtSocket)}, ${at})`,
    "a link to another guest's screen": `symlink(${quoted(other.vnc)}, ${at})`,
    "a link to another guest's console": `symlink(${quoted(join(other.sockets, 'serial'))}, ${at})`,
    "another name of another guest's screen": `link(${quoted(other.vnc)}, ${at})`,
    'a link to its own screen': `symlink(${kept}, ${at})`,
    'a directory': `mkdir(${at})`,
    'a pipe': `POSIX::mkfifo(${at}, 0600)`,
    'a file': `sysopen(my $file, ${at}, O_WRONLY | O_CREAT, 0600)`,
  };
  await doAs(machine, `rename(${at}, ${kept})`);
  for (const [trick, code] of Object.entries(tricks)) {
    await doAs(machine, code);
    const answer = await openScreen(ground, name);
    trial.check(
      answer.startsWith('refused with 5') ? undefined : `a guest put ${trick} in place of its screen: ${answer}`,
    );
    await doAs(machine, `unlink(${at}) || rmdir(${at})`);
  }
  await doAs(machine, `rename(${kept}, ${at})`);
  const answer = await openScreen(ground, name);
  trial.check(BANNER.test(answer) ? undefined : `the screen of ${name} cannot be opened: ${answer}`);
}

/** What stays in Vireo's own hands, to be compared. */
async function valuables(home: string): Promise<string> {
  const names = (await readdir(join(home, 'pki'))).sort();
  return (await Promise.all(names.map((name) => readFile(join(home, 'pki', name), 'latin1')))).join();
}

/**
 * A guest leaves traps for whoever cleans up after it: a process that kills all others of its user, links to what belongs to others, more and deeper
 * directories than anybody expects, and a disk that it has opened to everybody.
 */
export async function plantTraps({ ground }: Scene, machine: Machine, other: Machine, trial: Trial): Promise<void> {
  const { own, claims, user } = machine;
  const disk = claims.data ?? '';
  const before = await valuables(ground.home);
  const said = await doAs(
    machine,
    `
    symlink(${quoted(join(ground.home, 'pki'))}, ${quoted(join(own, 'link'))}) or die "link: $!";
    for my $number (1 .. 2000) { symlink(${quoted(ground.home)}, ${quoted(own)} . "/many-$number") or die "many: $!" }
    chmod(0666, ${quoted(disk)}) or die "chmod: $!";
    my $child = fork() // die "fork: $!";
    if ($child == 0) {
      POSIX::setsid();
      close($_) for (\\*STDIN, \\*STDOUT, \\*STDERR);
      $SIG{$_} = 'IGNORE' for qw(TERM INT HUP);
      select(undef, undef, undef, 0.05) while kill(0, ${machine.pid});
      my $until = time() + 600;
      kill('KILL', -1) while time() < $until;
      POSIX::_exit(0);
    }
    chdir(${quoted(own)}) or die "chdir: $!";
    for my $level (1 .. 1500) { mkdir('deeper') && chdir('deeper') or die "mkdir: $!" }
    chdir('/');
    'done';
    `,
  );
  trial.check(said === 'done' ? undefined : `the traps cannot be laid: ${said}`);
  await stopMachine(ground, machine.name);
  const left = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(userOf));
  trial.check(left.includes(user) ? `a process of the stopped guest ${machine.name} goes on` : undefined);
  trial.check((await valuables(ground.home)) === before ? undefined : 'keys have changed after a guest was stopped');
  for (const path of [machine.sockets, machine.directory]) {
    const stats = await lstat(path).catch(() => undefined);
    trial.check(stats ? `${path} of the stopped guest ${machine.name} is left` : undefined);
  }
  const { outcomes } = await attackAs(other.pid, [{ verb: 'file', words: [disk] }]);
  const ways = [...(outcomes[0]?.keys() ?? [])];
  trial.check(ways.length > 0 ? `a guest can ${ways.join(', ')} a disk that a stopped guest has opened` : undefined);
}

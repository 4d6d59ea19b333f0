import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientOptions, hostOf, loginName, proxyCommand } from './localClient.ts';
import { parseCopyEnd, parseSshTarget } from './target.ts';

const options = { port: 22, knownHosts: '/home/me/.ssh/kubevirt_known_hosts' };

describe('a target', () => {
  it.each([
    { text: 'vm/web', target: { resource: 'virtualmachines', name: 'web' } },
    {
      text: 'ada@vmi/web/lab',
      target: { resource: 'virtualmachineinstances', name: 'web', namespace: 'lab', user: 'ada' },
    },
  ])('is $text', ({ text, target }) => {
    expect(parseSshTarget(text)).toEqual(target);
  });

  it.each([
    { text: 'web', target: { resource: 'virtualmachines', name: 'web', isBare: true } },
    { text: 'ada@web', target: { resource: 'virtualmachines', name: 'web', isBare: true, user: 'ada' } },
  ])('is the name alone: $text', ({ text, target }) => {
    expect(parseSshTarget(text)).toEqual(target);
  });

  it.each(['@vm/web', 'ada@', 'ada@pod/web', '-oProxyCommand=x@vm/web'])('is not %s', (text) => {
    expect(() => parseSshTarget(text)).toThrow();
  });

  it.each([
    { text: 'notes:2.txt', end: { path: 'notes:2.txt' } },
    { text: './vm/web:x', end: { path: './vm/web:x' } },
    { text: 'ada@vm/web:', end: { path: '', target: { resource: 'virtualmachines', name: 'web', user: 'ada' } } },
    {
      text: 'vmi/web/lab:/a:b',
      end: { path: '/a:b', target: { resource: 'virtualmachineinstances', name: 'web', namespace: 'lab' } },
    },
  ])('of a copy: $text', ({ text, end }) => {
    expect(parseCopyEnd(text)).toEqual(end);
  });
});

it('who logs in: the target’s, else the flag’s, else this user', () => {
  const target = parseSshTarget('ada@vm/web');
  expect(loginName(target, { ...options, username: 'bob' }, { USER: 'me' })).toBe('ada');
  expect(loginName(parseSshTarget('vm/web'), { ...options, username: 'bob' }, { USER: 'me' })).toBe('bob');
  expect(loginName(parseSshTarget('vm/web'), options, { USER: 'me' })).toBe('me');
  expect(loginName(parseSshTarget('vm/web'), options, {})).toBeUndefined();
});

describe('the command that leads ssh to the guest', () => {
  it('names guest, port and server', () => {
    const command = proxyCommand(parseSshTarget('vm/web'), 'lab', {
      ...options,
      port: 2222,
      context: 'prod',
      asGroup: ['a', 'b'],
    });
    expect(command).toMatch(/ port-forward --stdio=true --context=prod --as-group=a --as-group=b vm\/web\/lab 2222$/);
  });

  it('hands every word to the shell as it is, and no percent sign to ssh', () => {
    const hostile = "we'b $(touch /tmp/x) %h";
    const command = proxyCommand({ resource: 'virtualmachines', name: hostile }, 'lab', options);
    expect(command).not.toMatch(/(?<!%)%(?!%)/);
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command.replaceAll('%%', '%')}`], { encoding: 'utf8' });
    expect(words.split('\n').at(-3)).toBe(`vm/${hostile}/lab`);
  });

  it('leaves the last word to the user’s own options', () => {
    const args = clientOptions(parseSshTarget('vm/web'), 'lab', {
      ...options,
      localSshOpts: ['-o A=b'],
      identityFile: 'key',
    });
    expect(args.slice(2)).toEqual(['-o A=b', '-o', `UserKnownHostsFile="${options.knownHosts}"`, '-i', 'key']);
    expect(hostOf(parseSshTarget('vm/web'), 'lab')).toBe('vm.web.lab');
  });
});

it('ssh goes to an address that answers, past the user’s jump hosts, and knows the guest by the same name', () => {
  const direct = { address: '10.244.0.7', hostKeyAlias: 'vm.web.lab' };
  const args = clientOptions(parseSshTarget('vm/web'), 'lab', { ...options, port: 2222 }, direct);
  using directory = mkdtempDisposableSync(join(tmpdir(), 'vireo-ssh-'));
  const file = join(directory.path, 'config');
  writeFileSync(file, 'Host *\n  ProxyJump bastion\n  HostName elsewhere\n  Port 1\n');
  const settings = execFileSync('ssh', ['-F', file, '-G', ...args, '--', 'vm.web.lab'], { encoding: 'utf8' }).split(
    '\n',
  );
  expect(settings).toEqual(
    expect.arrayContaining(['hostname 10.244.0.7', 'port 2222', 'hostkeyalias vm.web.lab', 'checkhostip no']),
  );
  expect(settings.join('\n')).not.toMatch(/^proxy(jump|command) (?!none)/m);
});

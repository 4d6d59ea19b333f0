import { InvalidArgumentError } from 'commander';
import { parseType } from './types.ts';

/** Whose ports are forwarded. */
export interface ForwardTarget {
  readonly resource: 'virtualmachines' | 'virtualmachineinstances';
  readonly name: string;
  readonly namespace?: string;
}

/** A port here, and the guest's port that it leads to. */
export interface ForwardedPort {
  readonly local: number;
  readonly remote: number;
}

/** `vm/web`, or `vmi/web/namespace`. */
export function parseTarget(text: string): ForwardTarget {
  const [type, name, namespace, ...rest] = text.split('/');
  if (!type || !name || namespace === '' || rest.length > 0) {
    throw new InvalidArgumentError("target must contain type and name separated by '/', for example vm/web.");
  }
  const resource = parseType(type) === 'vm' ? 'virtualmachines' : 'virtualmachineinstances';
  return { resource, name, ...(namespace && { namespace }) };
}

/** `80`, `8080:80`, `tcp/8080:80`. */
export function parseForward(text: string, before: readonly ForwardedPort[] = []): ForwardedPort[] {
  const [, protocol = 'tcp', local = '', remote = local] = /^(?:([a-z]+)\/)?(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (local === '') throw new InvalidArgumentError('A port is LOCAL, or LOCAL:REMOTE.');
  if (protocol !== 'tcp') throw new InvalidArgumentError(`Only tcp is forwarded, not ${protocol}.`);
  if (Number(local) > 65_535 || Number(remote) > 65_535 || Number(remote) === 0) {
    throw new InvalidArgumentError('A port is a number from 1 to 65535.');
  }
  return [...before, { local: Number(local), remote: Number(remote) }];
}

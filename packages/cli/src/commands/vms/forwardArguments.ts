import { InvalidArgumentError } from 'commander';
import { parseType } from './types.ts';

/** A VM or an instance that the user named. */
export interface VmTarget {
  readonly resource: 'virtualmachines' | 'virtualmachineinstances';
  readonly name: string;
  readonly namespace?: string;
}

/** A port here, and the guest's port that it leads to. */
export interface ForwardedPort {
  readonly protocol: 'tcp' | 'udp';
  readonly local: number;
  readonly remote: number;
}

/** `vm/web`, or `vmi/web/namespace`. */
export function parseTarget(text: string): VmTarget {
  const [type, name, namespace, ...rest] = text.split('/');
  if (!type || !name) {
    throw new InvalidArgumentError("target must contain type and name separated by '/', for example vm/web.");
  }
  if (namespace === '') throw new InvalidArgumentError('namespace cannot be empty.');
  if (rest.length > 0) throw new InvalidArgumentError("target is not valid with more than two '/'.");
  const resource = parseType(type) === 'vm' ? 'virtualmachines' : 'virtualmachineinstances';
  return { resource, name, ...(namespace && { namespace }) };
}

/**
 * What the name may mean, the likeliest first. Older virtctls took `vmi/web.lab` for the VM web in lab, and there
 * are ssh configurations that still write it so.
 */
export function meanings(target: VmTarget): VmTarget[] {
  const dot = target.name.lastIndexOf('.');
  if (target.namespace || dot < 1) return [target];
  return [target, { ...target, name: target.name.slice(0, dot), namespace: target.name.slice(dot + 1) }];
}

/** A port of a guest; virtctl allows no larger ones for VSOCK either. */
export function parseGuestPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('Expected a port from 1 to 65535.');
  return port;
}

/** `80`, `8080:80`, `tcp/8080:80`, `udp/53`. */
export function parseForward(text: string, before: readonly ForwardedPort[] = []): ForwardedPort[] {
  const [, protocol = 'tcp', local = '', remote = local] = /^(?:([a-zA-Z]+)\/)?(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (local === '') throw new InvalidArgumentError('Expected LOCAL or LOCAL:REMOTE.');
  const known = protocol.toLowerCase();
  if (known !== 'tcp' && known !== 'udp')
    throw new InvalidArgumentError(`Only tcp and udp can be forwarded, not ${protocol}.`);
  if (Number(local) > 65_535 || Number(remote) > 65_535 || Number(remote) === 0) {
    throw new InvalidArgumentError('Expected a port from 1 to 65535.');
  }
  return [...before, { protocol: known, local: Number(local), remote: Number(remote) }];
}

import { InvalidArgumentError } from 'commander';
import { parseTarget, type VmTarget } from '../forwardArguments.ts';

/** A VM to log in to, and as whom. */
export interface SshTarget extends VmTarget {
  readonly user?: string;
  /** The name stood alone, without `vm/` or `vmi/`. */
  readonly isBare?: true;
}

/** `[USER@]TYPE/NAME[/NAMESPACE]`, or `[USER@]NAME`. */
export function parseSshTarget(text: string): SshTarget {
  const at = text.indexOf('@');
  if (at === 0) throw new InvalidArgumentError("expected username before '@'.");
  const user = at < 0 ? undefined : text.slice(0, at);
  // ssh would take it for an option.
  if (user?.startsWith('-')) throw new InvalidArgumentError('a user name does not start with a dash.');
  if (text.slice(at + 1) === '') throw new InvalidArgumentError("expected target after '@'.");
  const named = text.slice(at + 1);
  const target: SshTarget = named.includes('/')
    ? parseTarget(named)
    : { resource: 'virtualmachines', name: named, isBare: true };
  return { ...target, ...(user && { user }) };
}

/** One side of a copy: a file here, or one in a guest. */
export type CopyEnd = { readonly path: string; readonly target?: SshTarget };

/** What scp is to copy. Only `vm/…:` and `vmi/…:` are guests: paths here may have colons too. */
export function parseCopyEnd(text: string): CopyEnd {
  const colon = text.indexOf(':');
  const before = text.slice(0, Math.max(colon, 0));
  const isRemote = /^(?:[^@/]*@)?(?:vms?|vmis?|virtualmachines?|virtualmachineinstances?)\/[^/]/i.test(before);
  if (!isRemote) return { path: text };
  return { path: text.slice(colon + 1), target: parseSshTarget(before) };
}

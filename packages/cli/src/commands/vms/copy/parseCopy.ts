import { Failure } from '../../../failure.ts';

/** What to copy where. */
export interface Copy {
  readonly direction: 'upload' | 'download';
  readonly vm: string;
  readonly user?: string;
  /** Path on this host. */
  readonly local: string;
  /** Path in the guest; a relative one is meant from the home of the user. */
  readonly remote: string;
}

/** `[USER@]NAME:PATH`. Names of VMs have no slash, so that `./a:b` is a file here. */
const IN_GUEST = /^(?:([A-Za-z0-9_][^\s@:/]*)@)?([a-z0-9][-a-z0-9.]*):(.*)$/s;

export function parseCopy(from: string, to: string): Copy {
  const [source, destination] = [IN_GUEST.exec(from), IN_GUEST.exec(to)];
  const form = 'Write the path in the guest as NAME:PATH. Write a local file whose name contains a colon as ./NAME';
  if (source && destination) throw new Failure(`both ${from} and ${to} are in a guest; one must be a local file`, form);
  const inGuest = source ?? destination;
  if (!inGuest) throw new Failure(`neither ${from} nor ${to} is in a guest`, form);
  const [, user, vm = '', remote = ''] = inGuest;
  return {
    direction: source ? 'download' : 'upload',
    vm,
    ...(user && { user }),
    local: source ? to : from,
    remote,
  };
}

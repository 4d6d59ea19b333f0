import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { WantedDevice } from './wanted.ts';

/** A wanted device and how it is. */
export interface DeviceState extends WantedDevice {
  /** Why it cannot be used; missing while it can. */
  readonly problem?: string;
}

/** Tries a device beyond looking at its file; answers with what is wrong. */
export type DeviceTest = () => Promise<string | undefined>;

/** Where devices are, and how to try those for which a file means little. */
export interface DeviceSite {
  /** Stands before every path; for tests, which bring their own. */
  readonly root?: string;
  /** By resource. */
  readonly tests?: Readonly<Record<string, DeviceTest>>;
}

interface Seen {
  /** Changes when the file does. */
  readonly identity: string;
  readonly problem: string | undefined;
}

/** Looks at devices. One that has not changed is not tried again: a try may start a process. */
export class DeviceHealth {
  readonly #site: DeviceSite;
  readonly #seen = new Map<string, Seen>();

  constructor(site: DeviceSite = {}) {
    this.#site = site;
  }

  async check(device: WantedDevice): Promise<DeviceState> {
    const problem = await this.#problem(device);
    return problem === undefined ? device : { ...device, problem };
  }

  async #problem({ resource, path, isOfHypervisor }: WantedDevice): Promise<string | undefined> {
    if (path === '') return 'only simulated nodes have it';
    const file = `${this.#site.root ?? ''}${path}`;
    const found = await stat(file).catch(({ code = 'EIO' }: NodeJS.ErrnoException) => code);
    if (typeof found === 'string') {
      this.#seen.delete(resource);
      return found === 'ENOENT' || found === 'ENOTDIR'
        ? `${path} does not exist`
        : `${path} cannot be inspected (${found})`;
    }
    const identity = [found.dev, found.ino, found.rdev, found.mode, found.ctimeMs].join(':');
    const known = this.#seen.get(resource);
    if (known?.identity === identity) return known.problem;
    const refused = isOfHypervisor && (await access(file, constants.R_OK | constants.W_OK).catch(codeOf));
    const problem = refused ? `this user cannot access ${path} (${refused})` : await this.#site.tests?.[resource]?.();
    this.#seen.set(resource, { identity, problem });
    return problem;
  }
}

const codeOf = ({ code = 'EIO' }: NodeJS.ErrnoException): string => code;

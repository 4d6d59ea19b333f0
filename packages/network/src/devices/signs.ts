/** What should be true of a device of ours. */
export interface ExpectedDevice {
  readonly mtu?: number;
  /**
   * What it should have: `link` (it is there and up), `address 10.244.0.1/32`, `route 10.244.0.0/16`, `neighbour 10.244.0.7`,
   * and settings that are on, as `inet forwarding`. Addresses and ranges are as `ip` prints them.
   */
  readonly has: ReadonlySet<string>;
}

/** Something of a device that has gone wrong, or is right again. */
export interface Sign {
  readonly device: string;
  /** What it is about: of two signs of the same, the later counts. */
  readonly about: string;
  readonly isWrong: boolean;
}

/** Stands for a device where settings of the whole host are meant. */
export const HOST = 'all';

/** What the node's end of a card needs: it forwards, and answers for all other guests (`proxy_arp` in /proc). */
export const CARD_SETTINGS: readonly string[] = ['inet forwarding', 'inet proxy_neigh'];

type ExpectedOf = (device: string) => ExpectedDevice | undefined;

/**
 * What a line of `ip -o monitor label` says of devices that `expectedOf` knows. While a device is made it looks wrong, step by
 * step, and in the end right.
 */
export function signsOf(line: string, expectedOf: ExpectedOf): Sign[] {
  const [, label = '', deleted, text = ''] = /^\[(\w+)\](Deleted )?(.*)/.exec(line) ?? [];
  return READERS[label]?.(text, deleted !== undefined, expectedOf).filter(isExpected(expectedOf)) ?? [];
}

/** Whether a sign is about something that a device should have. */
export const isExpected =
  (expectedOf: ExpectedOf) =>
  ({ device, about }: Pick<Sign, 'device' | 'about'>): boolean =>
    expectedOf(device)?.has.has(about) === true;

const READERS: Readonly<Record<string, (text: string, isGone: boolean, expectedOf: ExpectedOf) => Sign[]>> = {
  LINK: (text, isGone, expectedOf) => {
    const [, device = '', flags = '', mtu] = /^\d+: ([^:@\s]+)[^<]*<([^>]*)> mtu (\d+)/.exec(text) ?? [];
    const wanted = expectedOf(device)?.mtu ?? Number(mtu);
    const isWrong = isGone || !flags.split(',').includes('UP') || wanted !== Number(mtu);
    return [{ device, about: 'link', isWrong }];
  },
  ADDR: (text, isWrong) => {
    const [, device = '', address] = /^\d+: (\S+)\s+inet6? (\S+)/.exec(text) ?? [];
    return [{ device, about: `address ${address}`, isWrong }];
  },
  ROUTE: (text, isWrong) => {
    const [, to, device = ''] = /^(\S+) .*?\bdev (\S+)/.exec(text) ?? [];
    return [{ device, about: `route ${to}`, isWrong }];
  },
  NEIGH: (text, isGone) => {
    const [, address, device = '', state = ''] = /^([\da-f.:]+) dev (\S+)(.*)/.exec(text) ?? [];
    return [{ device, about: `neighbour ${address}`, isWrong: isGone || !state.includes(' PERMANENT') }];
  },
  NETCONF: (text, isGone) => {
    // The settings of a device go with it.
    if (isGone) return [];
    const [, family = '', device = '', values = ''] = /^(inet6?) (\S+) (.*)/.exec(text) ?? [];
    return [...values.matchAll(/(\w+) (on|off)\b/g)].map(([, name, value]) => ({
      device,
      about: `${family} ${name}`,
      isWrong: value === 'off',
    }));
  },
};

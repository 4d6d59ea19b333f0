import { isObject } from '@vireo/api/json.ts';

/** What a page that runs something calls, with the field that it came from. */
export const ALARM = '__ran';

/** Texts that do harm where a page takes them for more than text; `field` tells where one came from. */
export const payloads = (field: string): readonly string[] => {
  const call = `${ALARM}('${field}')`;
  return [
    `<script>${call}</script>`,
    `<img src=x onerror="${call}">`,
    `"><svg onload="${call}"></svg><a href="javascript:${call}">x</a>`,
    `\u202Egpj.exe\u2066 ${'\u0301'.repeat(30)} \u0000\u0007\u001B]0;owned\u0007`,
    `${'W'.repeat(3_000)}`,
    `{{constructor.constructor("${call}")()}}\${${call}}</title></style></textarea><iframe srcdoc="<script>parent.${call}</script>">`,
  ];
};

/** What the page needs to be itself: what addresses consist of, numbers, times, and the words that it decides by. */
const KEPT =
  /(^|\.)(apiVersion|kind|namespace|uid|resourceVersion|continue|generateName|controller|phase|printableStatus|runStrategy|type|status|verb|verbs|resource|resources|group|groupVersion|api[Gg]roups?|allowed|bus|[a-zA-Z]*(Timestamp|Time)|lastSeen|firstSeen)$/;
/** Names that lead to another object or kind, and so into an address. Those of volumes, disks and interfaces are only shown. */
const ADDRESSED =
  /(metadata|^resources|[rR]ef|[rR]eferences?|[oO]bject|Claim|dataVolume|source|roleRef|subjects|owner\w*)\.name$|^name$/;
const IS_DATA = /^(\d[\w.+-]*|true|false|[A-Z][a-z]+|)$/;

/**
 * An object as a hostile cluster would send it: every text in it that is not part of an address or a decision gets an
 * attack, and so do the keys of labels and annotations. The same text gets the same one, so that the volumes of a machine
 * still belong to its disks.
 */
export function poisoned(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => poisoned(each, path));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, each]) => [
      key,
      poisoned(each, path === '' ? key : `${path}.${key}`),
    ]);
    const isMap = /(^|\.)(labels|annotations)$/.test(path);
    return Object.fromEntries(isMap ? [...entries, ...keyAttacks(path)] : entries);
  }
  if (typeof value !== 'string' || KEPT.test(path) || ADDRESSED.test(path) || IS_DATA.test(value)) return value;
  // Both sides of a name must stay alike, whatever field they stand in.
  const all = payloads(path.endsWith('name') ? 'name' : path.replaceAll(/[^\w.]/g, ''));
  return `${value} ${all[turnOf(value) % all.length]}`;
}

const keyAttacks = (path: string): [string, string][] => payloads(`${path}.key`).map((attack) => [attack, attack]);

const turnOf = (text: string): number => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

/** What an agent in the guest says about itself. */
const guestSays = (field: string, turn: number): string => `${field} ${payloads(`guestOSInfo.${field}`)[turn]}`;
const GUEST_OS = {
  id: guestSays('id', 0),
  name: guestSays('name', 1),
  prettyName: guestSays('prettyName', 1),
  version: guestSays('version', 2),
  versionId: guestSays('versionId', 3),
  kernelRelease: guestSays('kernelRelease', 4),
  kernelVersion: guestSays('kernelVersion', 5),
  machine: guestSays('machine', 0),
};

/** A whole answer: also with objects whose names no real cluster would accept, and with guests that name their system. */
export function poisonedAnswer(answer: unknown): unknown {
  const made = poisoned(answer);
  if (!isObject(made)) return made;
  if (made.kind === 'VirtualMachineInstance') return withGuest(made);
  if (!Array.isArray(made.items) || !String(made.kind).endsWith('List')) return made;
  const items = made.items.filter(isObject);
  const [first] = items;
  const named = first === undefined ? [] : payloads('metadata.name').map((name, index) => renamed(first, name, index));
  const all = [...items, ...named];
  return { ...made, items: made.kind === 'VirtualMachineInstanceList' ? all.map(withGuest) : all };
}

const renamed = (object: Record<string, unknown>, name: string, index: number): Record<string, unknown> => ({
  ...object,
  metadata: { ...(isObject(object.metadata) && object.metadata), name, uid: `hostile-${index}` },
});

const withGuest = (vmi: Record<string, unknown>): Record<string, unknown> => ({
  ...vmi,
  status: { ...(isObject(vmi.status) && vmi.status), guestOSInfo: GUEST_OS },
});

/**
 * What a watch of a list tells: every second object has changed, new ones have attacks for names, and one of these is gone
 * again. The fields of the attacks begin with `watch`.
 */
export function poisonedEvents(list: unknown): unknown[] {
  if (!isObject(list) || !Array.isArray(list.items)) return [];
  const kind = String(list.kind).replace(/List$/, '');
  const { resourceVersion } = isObject(list.metadata) ? list.metadata : {};
  const event = (type: string, item: Record<string, unknown>): object => {
    const metadata = { ...(isObject(item.metadata) && item.metadata), resourceVersion };
    return { type, object: { apiVersion: list.apiVersion, kind, ...item, metadata } };
  };
  const items = list.items.filter(isObject).map((item) => poisoned(item, 'watch') as Record<string, unknown>);
  const [first] = items;
  if (first === undefined) return [];
  const named = payloads('watch.metadata.name').map((name, index) => renamed(first, name, index));
  return [
    ...items.filter((_, index) => index % 2 === 1).map((item) => event('MODIFIED', item)),
    ...named.map((item) => event('ADDED', item)),
    ...named.slice(-1).map((item) => event('DELETED', item)),
  ];
}

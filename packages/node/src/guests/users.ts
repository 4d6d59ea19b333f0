import { randomInt } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { exists } from '../exists.ts';
import type { NodeLayout } from '../libvirtd/layout.ts';
import { Turns } from '../turns.ts';
import { addToAcl, NoAcl, usersInAcl } from './acl.ts';
import { allow, type Grant, withdraw } from './grants.ts';
import { DamagedLedger, type Ledger, readLedger, removeLedger, writeLedger } from './ledger.ts';
import { endProcesses, NoUsers, tryProcess } from './processes.ts';
import { type GuestRange, type GuestUser, guestRange } from './range.ts';

/** Said where a range cannot be had. */
const TOO_FEW_IDS =
  'there are too few user ids for the guests of this home (/proc/self/uid_map), or another home uses them';

/** Below `/run/vireo` there is a directory for every home of this host. */
const otherHomes = async (run: string): Promise<Set<number>> => {
  const all = dirname(run);
  const names = (await readdir(all)).map((name) => join(all, name)).filter((path) => path !== run);
  const groups = await Promise.all(
    names.map(async (path) => {
      // Homes that were removed leave their directories until the host starts again.
      const isInUse = await exists(join(path, 'libvirt-sock'));
      return isInUse ? ((await stat(path).catch(() => undefined))?.gid ?? 0) : 0;
    }),
  );
  return new Set(groups);
};

/** The users of this node's guests: one a machine, for as long as it has anything here. */
export class GuestUsers {
  readonly #layout: NodeLayout;
  readonly #range: GuestRange;
  /** By the uid of the VMI. */
  readonly #ledgers = new Map<string, Ledger>();
  readonly #taken = new Set<number>();
  /** Directories that guests are known to come through. */
  readonly #open = new Set<string>();
  /** Changes of a machine's ledger happen one after the other. */
  readonly #turns = new Turns();
  /** Machines whose directory their user can enter, or soon can. */
  readonly #entering = new Map<string, Promise<void>>();
  /** Whether machines get users. */
  #isGiving = false;
  #next: number;

  private constructor(layout: NodeLayout, range: GuestRange) {
    this.#layout = layout;
    this.#range = range;
    this.#next = randomInt(Math.max(1, range.count));
  }

  /**
   * Opens the way to the guests' files for their group, and reads who is whom. Undefined where guests run as we do:
   * without root nothing else can be. Where a host cannot keep them apart, `say` is told why, and no machine gets a
   * user any more; those that have one keep it.
   */
  static async open(home: string, layout: NodeLayout, say: (why: string) => void): Promise<GuestUsers | undefined> {
    if (!layout.isRoot) return undefined;
    const [map, taken, machine] = await Promise.all([
      readFile('/proc/self/uid_map', 'utf8'),
      otherHomes(layout.run),
      readFile('/etc/machine-id', 'utf8').catch(() => ''),
    ]);
    // Hosts that share a directory should not give the same ids to guests of theirs.
    const range = guestRange(`${home} ${hostname()} ${machine}`, map, taken, (await stat(layout.run)).gid);
    const users = new GuestUsers(layout, range ?? { first: 0, count: 0 });
    await users.#readLedgers();
    const why = range ? await users.#prepare() : TOO_FEW_IDS;
    users.#isGiving = why === undefined;
    if (why !== undefined) say(why);
    return users.#isGiving || users.#ledgers.size > 0 ? users : undefined;
  }

  async #readLedgers(): Promise<void> {
    const { vmis } = this.#layout;
    for (const uid of await readdir(vmis)) {
      const directory = join(vmis, uid);
      const ledger = await readLedger(directory).catch(async (error: unknown) => {
        if (!(error instanceof DamagedLedger)) throw error;
        // Who may enter is who it was.
        const [user] = await usersInAcl(directory);
        return user === undefined ? undefined : { uid: user, gid: this.#range.first, grants: [] };
      });
      if (!ledger) continue;
      this.#ledgers.set(uid, ledger);
      this.#taken.add(ledger.uid);
    }
  }

  /** Why guests cannot be kept apart; undefined where they can. */
  async #prepare(): Promise<string | undefined> {
    const { vmis, volumes, run, libvirt } = this.#layout;
    const { first } = this.#range;
    await mkdir(volumes, { recursive: true, mode: 0o700 });
    await mkdir(join(libvirt, 'lib/qemu'), { recursive: true, mode: 0o711 });
    try {
      // Whose the directory is tells other homes which ids are taken.
      await chown(run, 0, first);
      await chmod(dirname(run), 0o711);
      await tryProcess({ uid: first, gid: first });
      for (const directory of [vmis, volumes, join(run, 'machines')]) await this.openWay(join(directory, 'x'));
      // libvirtd lets the group, which all guests share, look into the directory that it makes for each of them.
      await addToAcl('d:u::rwx,d:g::-,d:g:0:rwx,d:o::-', [join(libvirt, 'lib/qemu')]);
      return undefined;
    } catch (error) {
      const isMissing = ['EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (error instanceof NoAcl || error instanceof NoUsers || isMissing) return (error as Error).message;
      throw error;
    }
  }

  /** Somebody who may do what every guest may, and nothing that is of one alone: no machine has this user. */
  get common(): GuestUser | undefined {
    const { first } = this.#range;
    return this.#isGiving ? { uid: first, gid: first } : undefined;
  }

  /** The ids that users of machines have; undefined where machines get none. */
  get ids(): GuestRange | undefined {
    return this.#isGiving ? this.#range : undefined;
  }

  /** The user of a machine; undefined for one that runs as root. */
  of(vmiUid: string): GuestUser | undefined {
    const ledger = this.#ledgers.get(vmiUid);
    return ledger && { uid: ledger.uid, gid: ledger.gid };
  }

  /**
   * Gives a machine a user, and begins to let the user into the machine's directory. One that has a user keeps it.
   * Undefined where machines get none.
   */
  take(vmiUid: string): Promise<GuestUser | undefined> {
    return this.#turns.take(vmiUid, async () => {
      const directory = join(this.#layout.vmis, vmiUid);
      const known = this.#ledgers.get(vmiUid);
      if (!known && !this.#isGiving) return undefined;
      const ledger = known ?? { uid: this.#free(), gid: this.#range.first, grants: [] };
      await mkdir(directory, { recursive: true, mode: 0o700 });
      if (!known) {
        await this.#keep(vmiUid, ledger);
        this.#taken.add(ledger.uid);
      }
      // An earlier run may have ended before it came to this.
      if (!this.#entering.has(vmiUid)) this.#letIn(vmiUid, ledger, directory);
      return { uid: ledger.uid, gid: ledger.gid };
    });
  }

  #letIn(vmiUid: string, { uid }: Ledger, directory: string): void {
    const entering = addToAcl(`u:${uid}:x`, [directory]);
    this.#entering.set(vmiUid, entering);
    // Whoever waits for it hears of it; the next one tries again.
    entering.catch(() => this.#entering.delete(vmiUid));
  }

  /** Resolves when the user of a machine can enter its directory, which takes a moment after `take`. */
  async whenEntered(vmiUid: string): Promise<void> {
    await this.#entering.get(vmiUid);
  }

  /** Lets a machine have a file of a volume that is not in its own directory. */
  grant(vmiUid: string, grant: Grant): Promise<void> {
    return this.#turns.take(vmiUid, async () => {
      const ledger = this.#ledgers.get(vmiUid);
      if (!ledger) return;
      const others = ledger.grants.filter(({ path, volume }) => path !== grant.path || volume !== grant.volume);
      // Written first: what is granted is known, whatever happens in between.
      await this.#keep(vmiUid, { ...ledger, grants: [...others, grant] });
      // Into its own directory the machine comes by itself, and no other one.
      if (!grant.path.startsWith(join(this.#layout.vmis, vmiUid, '/'))) await this.openWay(grant.path);
      await allow(grant, ledger.uid);
    });
  }

  /** Takes away what a machine no longer has. */
  revoke(vmiUid: string, isUnused: (grant: Grant) => boolean): Promise<void> {
    if (!this.#ledgers.get(vmiUid)?.grants.some(isUnused)) return Promise.resolve();
    return this.#turns.take(vmiUid, async () => {
      const ledger = this.#ledgers.get(vmiUid);
      if (!ledger) return;
      const gone = ledger.grants.filter(isUnused);
      const kept = ledger.grants.filter((grant) => !isUnused(grant));
      // A file may be there under the name of another volume.
      await withdraw(
        gone.filter(({ path }) => !kept.some((grant) => grant.path === path)),
        ledger.uid,
      );
      await this.#keep(vmiUid, { ...ledger, grants: kept });
    });
  }

  /** A machine whose guest has ended: what it may have left running ends, nobody has its files, its user is free. */
  release(vmiUid: string): Promise<void> {
    return this.#turns.take(vmiUid, async () => {
      const ledger = this.#ledgers.get(vmiUid);
      if (!ledger) return;
      const { first, count } = this.#range;
      // A user of another range may be somebody else's by now.
      if (ledger.uid > first && ledger.uid < first + count) await endProcesses(ledger);
      await withdraw(ledger.grants, ledger.uid);
      const directory = join(this.#layout.vmis, vmiUid);
      await this.#entering.get(vmiUid)?.catch(() => {});
      // The log may stay, and whoever is given the user next is not to enter: no mode, no list.
      if (await exists(directory)) await chmod(directory, 0o700);
      await removeLedger(directory);
      this.#entering.delete(vmiUid);
      this.#ledgers.delete(vmiUid);
      this.#taken.delete(ledger.uid);
    });
  }

  /** Lets guests come through the directories above a path. What is in them stays closed. */
  async openWay(path: string): Promise<void> {
    const closed: string[] = [];
    for (let at = dirname(path); !this.#open.has(at); at = dirname(at)) {
      const { mode } = await stat(at);
      if (!(mode & 0o001)) closed.push(at);
      else this.#open.add(at);
      if (at === dirname(at)) break;
    }
    await addToAcl(`g:${this.#range.first}:x`, closed);
    for (const each of closed) this.#open.add(each);
  }

  /** Lets all guests use a device of the host. Devices come and go, and lose what they were given. */
  async openDevice(path: string): Promise<void> {
    const { mode } = await stat(path);
    if (this.#isGiving && (mode & 0o006) !== 0o006) await addToAcl(`g:${this.#range.first}:rw`, [path]);
  }

  /** Round and round, so that nobody gets what was somebody else's a moment ago. */
  #free(): number {
    const { first, count } = this.#range;
    for (let tried = 0; tried < count; tried += 1) {
      this.#next = (this.#next + 1) % count;
      const uid = first + this.#next;
      if (uid !== first && !this.#taken.has(uid)) return uid;
    }
    throw new Error(`all ${count} users for guests are taken`);
  }

  async #keep(vmiUid: string, ledger: Ledger): Promise<void> {
    await writeLedger(join(this.#layout.vmis, vmiUid), ledger);
    this.#ledgers.set(vmiUid, ledger);
  }
}

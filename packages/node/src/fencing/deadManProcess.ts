/**
 * The dead-man process: ends the guests of a node whose agent has not renewed the node's lease in time. It outlives the
 * agent, needs neither libvirtd nor the server, starts no other process and loads nothing of the agent.
 *
 * Arguments: the node's run-time directory, and the one of its VMIs.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { guestOf, uidOf } from '../shutdown/guestProcesses.ts';
import { bootId, bootTimeMs } from './bootTime.ts';
import {
  deadManFiles,
  decideDeadMan,
  type Ended,
  type EndedGuest,
  type Heartbeat,
  readState,
  writeState,
} from './deadManState.ts';

const [run = '', vmis = ''] = process.argv.slice(2);
const files = deadManFiles(run);
const boot = bootId();
/** Short against all times of a policy. */
const LOOK_MS = 500;

/** What runs guests of this node, as the kernel tells. */
function guests(): (EndedGuest & { readonly pid: number })[] {
  return readdirSync('/proc').flatMap((name) => {
    const guest = /^\d+$/.test(name) ? guestOfProcess(name) : undefined;
    return guest ? [{ pid: Number(name), ...guest }] : [];
  });
}

function guestOfProcess(pid: string): EndedGuest | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
    const key = guestOf(words, { run, vmis });
    return key === undefined ? undefined : { key, uid: uidOf(words) ?? '' };
  } catch {
    return undefined;
  }
}

let last: Heartbeat | undefined = readState(files.heartbeat);
let ended: EndedGuest[] = [];

function look(): void {
  const found = readState<Heartbeat>(files.heartbeat);
  // Whoever removes the file does not have more time.
  if (found) last = found;
  const nowMs = bootTimeMs();
  if (!last) process.exit(1);
  const { sentAtMs, stopAfterMs } = last;
  const isFilePresent = found !== undefined;
  const decision = decideDeadMan(last, { bootId: boot, nowMs, isFilePresent, guests: () => guests().length });
  if (decision === 'exit') {
    // Whoever arms it again must not take what was said before for a sign of life.
    rmSync(files.tick, { force: true });
    process.exit(0);
  }
  if (decision === 'kill') end(nowMs - sentAtMs);
  else ended = [];
  if (isFilePresent)
    attempt(() => writeState(files.tick, { pid: process.pid, bootId: boot, atMs: nowMs, sentAtMs, stopAfterMs }));
}

/** Ends what runs, again and again: until the server has been heard of, nothing may be started either. */
function end(silentMs: number): void {
  const running = guests();
  for (const { pid } of running) attempt(() => process.kill(pid, 'SIGKILL'));
  const news = running.filter(({ key, uid }) => !ended.some((each) => each.key === key && each.uid === uid));
  if (news.length === 0) return;
  ended = [...ended, ...news.map(({ key, uid }) => ({ key, uid }))];
  const record: Ended = { at: new Date().toISOString(), silentMs, guests: ended };
  attempt(() => writeState(files.ended, record));
  console.error(
    `no renewal of the lease was acknowledged for ${silentMs} ms: ended ${news.map(({ key }) => key).join(', ')}`,
  );
}

/** What cannot be done now is done at the next look. */
function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') console.error(String(error));
  }
}

// The kernel takes others first; only root may ask for that.
attempt(() => writeFileSync('/proc/self/oom_score_adj', '-1000'));
for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE'] as const) process.on(signal, () => {});
attempt(look);
setInterval(() => attempt(look), LOOK_MS);

import { parseArgs } from 'node:util';
import { runTool } from '../tool.ts';
import type { Sample } from './sample.ts';
import { soak } from './soak.ts';
import { leaks, trend, WARM_UP_CYCLES } from './verdict.ts';

const HELP = `Usage: npm run soak -- [--cycles N] [--minutes M] [--at-once K]

Starts its own Vireo, creates, runs and deletes VMs on it, and checks from time to time whether anything is
left behind: memory, file descriptors, processes, sockets, files, objects. Exits with 1 if something is.

Options:
  --cycles N   number of VMs; default 1000
  --minutes M  stop after this many minutes; default 60
  --at-once K  number of VMs at the same time; default 4
  --help       print this help
`;

const COLUMNS = [
  ['cycles', ({ cycles }) => String(cycles)],
  ['used MB', ({ usedBytes }) => megabytes(usedBytes)],
  ['RSS MB', ({ residentBytes }) => megabytes(residentBytes)],
  ['fds', ({ descriptors }) => String(descriptors)],
  ['threads', ({ threads }) => String(threads)],
  ['libvirtd MB', ({ libvirtdBytes }) => megabytes(libvirtdBytes)],
  ['its fds', ({ libvirtdDescriptors }) => String(libvirtdDescriptors)],
  ['guests', ({ processes, domains }) => `${processes}/${domains}`],
  ['sockets', ({ sockets }) => String(sockets)],
  ['files', ({ files }) => String(files)],
  ['file MB', ({ fileBytes }) => megabytes(fileBytes)],
  ['store MB', ({ storeBytes }) => megabytes(storeBytes)],
  ['objects', ({ objects }) => String(objects)],
] as const satisfies readonly (readonly [string, (sample: Sample) => string])[];

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
const row = (cells: readonly string[]): string =>
  cells.map((cell, index) => cell.padStart(Math.max(8, COLUMNS[index]![0].length))).join(' ');

process.exitCode = await runTool(process.argv.slice(2), { help: HELP, parse, run });

interface Options {
  readonly cycles: number;
  readonly minutes: number;
  readonly atOnce: number;
  readonly cyclesEach: number;
}

async function run(options: Options): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const startedAt = performance.now();
  console.log(row(COLUMNS.map(([title]) => title)));
  const onSample = (sample: Sample): void => console.log(row(COLUMNS.map(([, show]) => show(sample))));
  const samples = await soak({ ...options, onSample }, stopping.signal);
  const cycles = (samples.at(-1)?.cycles ?? 0) - (samples[0]?.cycles ?? 0);
  const minutes = (performance.now() - startedAt) / 60_000;
  console.log(`\n${cycles} cycles in ${minutes.toFixed(1)} minutes`);
  if (cycles < 2 * WARM_UP_CYCLES)
    console.log(`Trends are judged after the first ${WARM_UP_CYCLES} cycles; set more --cycles to see them.`);
  for (const name of ['usedBytes', 'residentBytes', 'libvirtdBytes', 'fileBytes'] as const)
    console.log(`${name}: ${Math.round(trend(samples, name)).toLocaleString('en-US')} a cycle`);
  const found = leaks(samples);
  for (const leak of found) console.log(`LEAK ${leak}`);
  if (found.length === 0) console.log('nothing was left behind');
  return found.length === 0 ? 0 : 1;
}

/** What is asked for; undefined: help; a text: what is wrong with it. */
function parse(args: string[]): Options | string | undefined {
  const number = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args,
      options: {
        cycles: { ...number, default: '1000' },
        minutes: { ...number, default: '60' },
        'at-once': { ...number, default: '4' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return undefined;
    const [cycles, minutes, atOnce] = [values.cycles, values.minutes, values['at-once']].map(Number);
    if (!cycles || !minutes || !atOnce || Math.min(cycles, minutes, atOnce) <= 0)
      return '--cycles, --minutes and --at-once must be numbers greater than 0';
    return { cycles, minutes, atOnce, cyclesEach: Math.max(atOnce, Math.ceil(cycles / 30)) };
  } catch (error) {
    return (error as Error).message;
  }
}

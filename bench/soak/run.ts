import { parseArgs } from 'node:util';
import { runTool } from '../tool.ts';
import { type ClientSoakOptions, soakClients } from './clients/clientSoak.ts';
import { findings } from './clients/verdict.ts';
import type { Sample } from './sample.ts';
import { soak } from './soak.ts';
import { leaks, trend, WARM_UP_CYCLES } from './verdict.ts';

const HELP = `Usage: npm run soak -- [--cycles N] [--minutes M] [--at-once K]
       npm run soak -- --clients N [--minutes M] [--seed S]

Starts its own Vireo, creates, runs and deletes VMs on it, and checks from time to time whether anything is
left behind: memory, file descriptors, processes, sockets, files, objects. Exits with 1 if something is.

With --clients, N clients of the API do everything at random instead: writes of all kinds, lists, watches, scales,
definitions, VMs on simulated nodes. Every answer must be the right one, the watches complete, and the store
equal to what the clients were told.

Options:
  --cycles N   number of VMs; default 1000
  --minutes M  stop after this many minutes; default 60, with --clients 5
  --at-once K  number of VMs at the same time; default 4
  --clients N  number of clients
  --seed S     what the clients choose; default: another each time
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

process.exitCode = await runTool(process.argv.slice(2), {
  help: HELP,
  parse,
  run: (options: Options | ClientSoakOptions) => ('clients' in options ? runClients(options) : run(options)),
});

interface Options {
  readonly cycles: number;
  readonly minutes: number;
  readonly atOnce: number;
  readonly cyclesEach: number;
}

async function runClients(options: ClientSoakOptions): Promise<number> {
  console.log(`seed ${options.seed}`);
  const report = await soakClients(options, stopSignal());
  const done = [...report.counts.values()].reduce((sum, count) => sum + count, 0);
  for (const [name, count] of [...report.counts].sort()) console.log(`${name.padEnd(20)} ${count}`);
  console.log(`${done} operations by ${options.clients} clients, ${report.events} events watched`);
  for (const name of ['usedBytes', 'residentBytes', 'descriptors'] as const)
    console.log(`${name}: ${report.before[name]} before, ${report.after[name]} after`);
  const found = findings(report);
  for (const finding of found) console.log(`WRONG ${finding}`);
  if (found.length === 0) console.log('every answer was right, and nothing was left behind');
  return found.length === 0 ? 0 : 1;
}

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

async function run(options: Options): Promise<number> {
  const startedAt = performance.now();
  console.log(row(COLUMNS.map(([title]) => title)));
  const onSample = (sample: Sample): void => console.log(row(COLUMNS.map(([, show]) => show(sample))));
  const samples = await soak({ ...options, onSample }, stopSignal());
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
function parse(args: string[]): Options | ClientSoakOptions | string | undefined {
  const number = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args,
      options: {
        cycles: { ...number, default: '1000' },
        minutes: number,
        'at-once': { ...number, default: '4' },
        clients: number,
        seed: number,
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return undefined;
    if (values.clients !== undefined) return parseClients(values.clients, values.minutes ?? '5', values.seed);
    const [cycles, minutes, atOnce] = [values.cycles, values.minutes ?? '60', values['at-once']].map(Number);
    if (!cycles || !minutes || !atOnce || Math.min(cycles, minutes, atOnce) <= 0)
      return '--cycles, --minutes and --at-once must be numbers greater than 0';
    return { cycles, minutes, atOnce, cyclesEach: Math.max(atOnce, Math.ceil(cycles / 30)) };
  } catch (error) {
    return (error as Error).message;
  }
}

function parseClients(clientsText: string, minutesText: string, seedText?: string): ClientSoakOptions | string {
  const [clients, minutes] = [Number(clientsText), Number(minutesText)];
  const seed = seedText === undefined ? Math.floor(Math.random() * 1e6) : Number(seedText);
  if (!Number.isSafeInteger(clients) || clients < 1) return '--clients must be a whole number greater than 0';
  if (!(minutes > 0)) return '--minutes must be a number greater than 0';
  if (!Number.isSafeInteger(seed) || seed < 0) return '--seed must be a whole number';
  return { clients, minutes, seed };
}

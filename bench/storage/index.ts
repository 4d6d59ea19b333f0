import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Namespace } from '@vireo/api';
import type { Client } from '@vireo/kube';
import { startTasks } from '../processes.ts';
import type { Result } from '../report.ts';
import { percentile, resultsOf, rounds } from '../rounds.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { startVireoWithVms } from '../vms/vireo.ts';
import { answersDuring } from './answers.ts';
import type { BareTasks } from './bare.ts';
import { DataVolumes, NAMESPACE } from './dataVolumes.ts';
import { type Images, makeImages, timeTool } from './images.ts';
import type { PeerTasks } from './peer.ts';
import type { Plan } from './plan.ts';

interface Bench {
  readonly plan: Plan;
  readonly client: Client;
  readonly images: Images;
  readonly volumes: DataVolumes;
  /** The directory of the images on a web server. */
  readonly web: string;
  /** Transfers the file of an image, and does nothing with it. */
  readonly transfers: Readonly<Record<'http' | 'tls', (image: keyof Images) => Promise<unknown>>>;
}

/** Milliseconds from the request to a filled claim, and those of them before anything was transferred or copied. */
type Times = Readonly<Record<'ms' | 'beginsMs', number>>;

/** What is measured: against a tool on the same file, and against that tool after a bare transfer of the file. */
interface Measurement {
  readonly what: string;
  readonly tool: 'cp' | 'convert';
  readonly image: keyof Images;
  readonly transfer?: keyof Bench['transfers'];
  time(bench: Bench, name: string): Promise<Times>;
}

const GOLDEN = 'golden';
/** How long answers are waited for while nothing is transferred. */
const QUIET_MS = 1_000;

const importing = (image: keyof Images) => async (bench: Bench, name: string) => {
  const url = `${bench.web}/${basename(bench.images[image])}`;
  return fill(bench, name, { http: { url } });
};

const uploading = (image: keyof Images) => async (bench: Bench, name: string) => {
  await bench.volumes.create(name, { upload: {} }, bench.plan.diskMib);
  await bench.volumes.reaches(name, 'UploadReady');
  const startedAt = performance.now();
  const beginsMs = await bench.volumes.upload(name, bench.images[image]);
  return { ms: performance.now() - startedAt, beginsMs };
};

export const MEASUREMENTS: Readonly<Record<string, readonly Measurement[]>> = {
  import: [
    { what: 'import of qcow2', tool: 'convert', image: 'qcow2', transfer: 'http', time: importing('qcow2') },
    { what: 'import of raw', tool: 'cp', image: 'raw', transfer: 'http', time: importing('raw') },
  ],
  clone: [
    {
      what: 'clone',
      tool: 'cp',
      image: 'raw',
      time: (bench, name) => fill(bench, name, { pvc: { namespace: NAMESPACE, name: GOLDEN } }),
    },
  ],
  upload: [
    { what: 'upload of qcow2', tool: 'convert', image: 'qcow2', transfer: 'tls', time: uploading('qcow2') },
    { what: 'upload of raw', tool: 'cp', image: 'raw', transfer: 'tls', time: uploading('raw') },
  ],
  // Of the API while a disk is uploaded.
  answers: [],
};

const TOOL_NAMES = { cp: 'cp --reflink=auto', convert: 'qemu-img convert' } as const;
const TRANSFER_NAMES = { http: 'bare HTTP', tls: 'bare TLS' } as const;

async function fill({ volumes, plan }: Bench, name: string, source: Parameters<DataVolumes['create']>[1]) {
  const startedAt = performance.now();
  await volumes.create(name, source, plan.diskMib);
  await volumes.reaches(name, 'ImportInProgress', 'CloneInProgress', 'Succeeded');
  const beginsMs = performance.now() - startedAt;
  await volumes.reaches(name, 'Succeeded');
  return { ms: performance.now() - startedAt, beginsMs };
}

/** Measures how claims are filled, beside the tools that people fill disks with; leaves nothing behind. */
export async function storage(
  plan: Plan,
  names: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  await using cleanUp = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  onProgress('nothing yet: making images and starting Vireo');
  const images = await makeImages(directory, plan.diskMib);
  const home = join(directory, 'vireo');
  const vireo = await startVireoWithVms(home);
  cleanUp.defer(() => vireo.stop());
  await vireo.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const certificate = await readFile(join(home, 'pki/ca.crt'), 'utf8');
  const peer = startTasks<PeerTasks>(new URL('./peer.ts', import.meta.url));
  cleanUp.defer(() => peer.close());
  const web = `http://127.0.0.1:${await peer.call('serve', directory)}`;
  const volumes = cleanUp.use(
    await DataVolumes.start(vireo.client, certificate, (sending) => peer.call('send', sending)),
  );
  const bare = startTasks<BareTasks>(new URL('./bare.ts', import.meta.url));
  cleanUp.defer(() => bare.close());
  const port = await bare.call('listen', {
    certificateFile: join(home, 'pki/apiserver.crt'),
    keyFile: join(home, 'pki/apiserver.key'),
  });
  const transfers: Bench['transfers'] = {
    http: (image) => bare.call('fetch', `${web}/${basename(images[image])}`),
    tls: (image) => peer.call('send', { url: `https://127.0.0.1:${port}/`, file: images[image], ca: certificate }),
  };
  const bench: Bench = { plan, client: vireo.client, images, volumes, web, transfers };
  await MEASUREMENTS.import![1]!.time(bench, GOLDEN);

  const measurements = names.flatMap((name) => MEASUREMENTS[name]!);
  let count = 0;
  // One after the other, so that what is compared is measured under the same conditions.
  const both = measurements.map((measurement) => {
    const measure = async (): Promise<Times & Theirs> => ({
      ...(await timeOurs(bench, measurement, `volume-${++count}`, onProgress)),
      ...(await timeTheirs(bench, measurement, join(directory, 'copy'))),
    });
    return [measurement.what, measure] as const;
  });
  const options = { warmUp: plan.rounds > 1, budgetMs: plan.budgetSeconds * 1000 };
  const measured = await rounds(plan.rounds, Object.fromEntries(both), options);
  const filling = resultsOf(measured, (figures) =>
    measurements.flatMap((measurement) => results(measurement, plan, figures[measurement.what]!)),
  );
  if (!names.includes('answers')) return filling;
  onProgress('answers');
  const answers = () => timeAnswers(bench, `volume-${++count}`);
  const answered = await rounds(plan.rounds, { answers }, options);
  return [...filling, ...resultsOf(answered, ({ answers }) => answerResults(answers))];
}

/** What 99 of 100 answers of the API stay below, in milliseconds: while a disk is uploaded, and while nothing is. */
async function timeAnswers(bench: Bench, name: string): Promise<Readonly<Record<'busyMs' | 'quietMs', number>>> {
  const { client, volumes, images, plan } = bench;
  await volumes.create(name, { upload: {} }, plan.diskMib);
  await volumes.reaches(name, 'UploadReady');
  const busy = await answersDuring(client, volumes.upload(name, images.raw));
  await volumes.remove(name, 1);
  const quiet = await answersDuring(client, setTimeout(QUIET_MS));
  return { busyMs: percentile(busy, 99), quietMs: percentile(quiet, 99) };
}

const answerResults = ({ busyMs, quietMs }: Awaited<ReturnType<typeof timeAnswers>>): Result[] => [
  { metric: 'p99 of GETs during an upload', value: busyMs, baseline: quietMs, unit: 'ms', better: 'less' },
];

/** Milliseconds of the tool, and of the bare transfer where there is one. */
type Theirs = Readonly<Record<'toolMs' | 'transferMs', number>>;

function results(
  { what, tool, transfer }: Measurement,
  { diskMib }: Plan,
  { ms, beginsMs, toolMs, transferMs }: Times & Theirs,
): Result[] {
  const figure = { unit: 'ms', better: 'less' } as const;
  const aim = { of: 'ratio', bound: 1.15 } as const;
  const against = `${what}, ${diskMib / 2} of ${diskMib} MiB, vs ${TOOL_NAMES[tool]}`;
  const bare: Result[] = transfer
    ? [
        {
          metric: `${what} vs ${TRANSFER_NAMES[transfer]} and ${TOOL_NAMES[tool]}`,
          value: ms,
          baseline: transferMs + toolMs,
          aim,
          ...figure,
        },
        { metric: `${what}: ${TRANSFER_NAMES[transfer]} alone`, value: transferMs, baseline: toolMs, ...figure },
      ]
    : [];
  return [
    { metric: against, value: ms, baseline: toolMs, aim, ...figure },
    ...bare,
    { metric: `${what}: until it begins`, value: beginsMs, baseline: null, ...figure },
  ];
}

async function timeOurs(
  bench: Bench,
  { what, time }: Measurement,
  name: string,
  onProgress: (text: string) => void,
): Promise<Times> {
  onProgress(what);
  const times = await time(bench, name);
  await bench.volumes.remove(name, 1);
  return times;
}

async function timeTheirs(bench: Bench, { tool, image, transfer }: Measurement, copy: string): Promise<Theirs> {
  const toolMs = await timeTool(tool, bench.images[image], copy);
  await rm(copy);
  const startedAt = performance.now();
  if (transfer) await bench.transfers[transfer](image);
  return { toolMs, transferMs: performance.now() - startedAt };
}

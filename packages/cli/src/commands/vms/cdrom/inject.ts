import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure } from '../../../failure.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { dryRunBody } from '../dryRun.ts';
import { carryUpload, checkReadable } from '../upload/upload.ts';
import { request, sourceOf } from '../volumes.ts';
import { chooseDrive, type Drive, type DriveOwner, findOwner } from './drives.ts';
import { untilHolds } from './waiting.ts';

export interface InjectOptions extends ConnectionOptions {
  readonly volumeName?: string;
  readonly claimName?: string;
  readonly imagePath?: string;
  readonly storageClass?: string;
  readonly replace?: boolean;
  readonly force?: boolean;
  readonly wait?: boolean;
  readonly timeout: number;
  readonly uploadproxyUrl?: string;
  readonly insecure?: boolean;
  readonly dryRun?: boolean;
}

const FAILED = 'error injecting CD-ROM';
const MEBIBYTE = 1024 * 1024;

/** Puts a disc into a CD-ROM drive: a claim that exists, or an image of this host that is uploaded first. */
export async function inject(name: string, options: InjectOptions): Promise<void> {
  const { imagePath } = options;
  if (!imagePath && !options.claimName)
    throw new Failure('no disc given', 'Set a claim with --claim-name, or a local file with --image-path.');
  if (imagePath) await checkReadable(imagePath);
  await connected(options, async (connection) => {
    const owner = await findOwner(connection, name);
    const drive = chooseDrive(owner, options.volumeName);
    // Before gigabytes are sent in vain; the server looks again.
    expectRoom(owner, drive, options);
    const claim = options.claimName ?? claimNameFor(name, imagePath ?? '');
    if (imagePath && !options.dryRun) await upload(connection, imagePath, claim, options);
    const volumeSource = await sourceOf(connection, claim, FAILED);
    const { replace, force } = options;
    const body = { name: drive.name, volumeSource, ...(replace && { replace }), ...(force && { force }) };
    await request(connection, name, 'addvolume', { ...body, ...dryRunBody(options) }, FAILED);
    console.log(`Successfully submitted inject request to VM ${name}: claim ${claim} into CD-ROM drive ${drive.name}`);
    if (!owner.vmi) console.log(`VM ${name} is not running: the disc will be in the drive when it starts`);
    else if (options.wait && !options.dryRun) {
      await untilHolds(connection, name, drive.name, claim, options.timeout);
      console.log(`Claim ${claim} is in CD-ROM drive ${drive.name}`);
    }
  });
}

function expectRoom({ name }: DriveOwner, drive: Drive, { replace = false }: InjectOptions): void {
  if (drive.claim === undefined || replace) return;
  throw new Failure(
    `${FAILED}, CD-ROM drive ${drive.name} of VM ${name} is not empty: ${drive.claim} is in it`,
    `Eject it first, or replace it with --replace.`,
  );
}

/** `windows 11.ISO` for `web` is kept on the claim `web-windows-11`. */
export function claimNameFor(vm: string, file: string): string {
  const stem = basename(file)
    .toLowerCase()
    .replace(/\.(iso|img|raw)(\.(gz|xz))?$/, '')
    .replace(/[^a-z0-9]+/g, '-');
  return `${vm}-${stem}`.slice(0, 63).replace(/-+$/, '');
}

/** Sends an image to a new claim. */
async function upload(connection: Connection, file: string, claim: string, options: InjectOptions): Promise<void> {
  const { size } = await stat(file);
  await carryUpload(
    connection,
    {
      resource: 'dv',
      name: claim,
      file,
      isArchive: false,
      size: `${Math.max(1, Math.ceil(size / MEBIBYTE))}Mi`,
      mayCreate: true,
      forceBind: true,
      datasource: false,
      labels: {},
      ...(options.storageClass && { storageClass: options.storageClass }),
    },
    { ...options, waitSecs: 300, retry: 5 },
  );
}

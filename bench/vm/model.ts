import { execFile } from 'node:child_process';
import { link } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { NodeLayout } from '@vireo/node';
import { type VmiFiles, vmiFiles } from '@vireo/node/vmi/files.ts';
import { type Card, withCard } from './card.ts';
import { virsh } from './virshGuests.ts';

const run = promisify(execFile);

/** The guest as Vireo runs it, for others to run it in the same way. */
export interface Model {
  /** The disk that all guests begin with. */
  readonly image: string;
  /** The file name of a guest's own disk. */
  readonly disk: string;
  /** Its other files, such as a disc with settings: where a copy is, by their names. */
  readonly otherFiles: ReadonlyMap<string, string>;
  readonly accelerator: 'kvm' | 'tcg';
  /** The same domain under another name, with files of its own; with user networking unless there is another card. */
  domain(guest: { name: string; uuid: string; files: VmiFiles; card?: Card }): string;
}

/** Takes a VMI that runs on Vireo's node as the model. */
export async function modelOf(layout: NodeLayout, uid: string): Promise<Model> {
  const xml = await virsh(layout, 'dumpxml', '--inactive', uid);
  const own = vmiFiles(layout, uid);
  const disk = only(xml, /<source file='([^']+)'/);
  const { stdout } = await run('qemu-img', ['info', '--force-share', '--output=json', disk]);
  const image = (JSON.parse(stdout) as { 'full-backing-filename'?: string })['full-backing-filename'];
  if (!image) throw new Error(`${disk} is no overlay of an image`);
  // The machine's own link to it goes with the machine, and so do its files.
  const kept = join(layout.images, `model-${uid}.img`);
  await link(image, kept);
  const otherFiles = new Map<string, string>();
  for (const [, file = ''] of xml.matchAll(/<source file='([^']+)'/g)) {
    if (file === disk || dirname(file) !== own.directory) continue;
    const copy = join(layout.images, `model-${uid}-${basename(file)}`);
    await link(file, copy);
    otherFiles.set(basename(file), copy);
  }
  const name = only(xml, /<name>([^<]+)<\/name>/);
  return {
    image: kept,
    disk: basename(disk),
    otherFiles,
    accelerator: xml.includes("<domain type='kvm'") ? 'kvm' : 'tcg',
    domain: ({ name: otherName, uuid, files, card = {} }) =>
      withCard(xml, card)
        .replaceAll(own.directory, files.directory)
        .replaceAll(own.sockets, files.sockets)
        .replaceAll(uid, uuid)
        .replace(`<name>${name}</name>`, `<name>${otherName}</name>`)
        // Whoever is compared with has no users for guests.
        .replace(/<seclabel .*?<\/seclabel>/s, '')
        .replaceAll(join(files.sockets, basename(own.own)), files.sockets),
  };
}

/** A disk of its own for a guest. */
export async function overlay(image: string, path: string): Promise<void> {
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', image, '-F', 'raw', path]);
}

function only(xml: string, pattern: RegExp): string {
  const found = pattern.exec(xml)?.[1];
  if (found === undefined) throw new Error(`the domain has nothing like ${pattern}:\n${xml}`);
  return found;
}

import { join } from 'node:path';
import { exists } from '../exists.ts';

/** A file below `<home>/images` that an image's name leads to. */
export type LocalFile =
  | { readonly kind: 'disk'; readonly path: string; readonly format: 'raw' | 'qcow2' }
  /** An OCI layout or an archive: the disk is inside. */
  | { readonly kind: 'image'; readonly path: string };

/** Kept by the node itself. */
export const OWN_DIRECTORIES = ['oci', 'guest'];

const FORMS = { 'oci-layout': ['layout'], 'oci-archive': ['archive'] } as const;

/**
 * Finds what lies below `directory` under an image's name: `disk.qcow2` or `disk.raw` in a directory of that name, an
 * OCI layout there, or an archive `<name>.tar`. `oci-layout:<name>` and `oci-archive:<name>` ask for nothing else, and
 * never lead out of the directory.
 */
export async function findLocalImage(directory: string, image: string): Promise<LocalFile | undefined> {
  const { name, forms } = splitForm(image);
  // Names are paths of the form a/b/c:tag; nothing else may reach the file system.
  if (!/^[a-z0-9]+([._/:-][a-z0-9]+)*$/i.test(name) || OWN_DIRECTORIES.includes(name.split('/')[0] ?? ''))
    return undefined;
  const path = join(directory, ...name.split('/'));
  for (const form of forms) {
    if (form === 'disk')
      for (const format of ['qcow2', 'raw'] as const) {
        const disk = join(path, `disk.${format}`);
        if (await exists(disk)) return { kind: 'disk', path: disk, format };
      }
    else {
      const marker = form === 'layout' ? join(path, 'index.json') : `${path}.tar`;
      if (await exists(marker)) return { kind: 'image', path: form === 'layout' ? path : marker };
    }
  }
  return undefined;
}

/** Whether the name asks for something on this host only. */
export const isLocalForm = (image: string): boolean => /^oci-(layout|archive):/.test(image);

type Form = 'disk' | 'layout' | 'archive';

function splitForm(image: string): { name: string; forms: readonly Form[] } {
  const [, form, name = ''] = /^(oci-layout|oci-archive):(.*)$/.exec(image) ?? [];
  if (form === undefined) return { name: image.replace(/:latest$/, ''), forms: ['disk', 'layout', 'archive'] };
  return { name: name.replace(/\.tar$/, ''), forms: FORMS[form as keyof typeof FORMS] };
}

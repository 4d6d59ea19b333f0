import { el, writeXml, type XmlElement } from '../xml.ts';
import { type Topic, userAlias } from './conversion.ts';
import { ConversionError } from './error.ts';

const PATH = 'spec.domain.devices.filesystems';

/** Directories shared by virtiofs. */
export const filesystems: Topic = ({ devices, context }) =>
  (devices.filesystems ?? []).map(({ name }, index) => {
    const field = `${PATH}[${index}].name`;
    const shared = context.filesystems ?? {};
    const socket = Object.hasOwn(shared, name) ? shared[name]?.socket : undefined;
    if (!socket) throw new ConversionError(field, `this node does not share the directory ${JSON.stringify(name)}`);
    return filesystem(name, socket, field);
  });

/** A directory to plug into a guest that runs, by the name that the guest mounts it by. */
export const convertFilesystem = (name: string, socket: string): string => writeXml(filesystem(name, socket, 'name'));

const filesystem = (name: string, socket: string, field: string): XmlElement =>
  el(
    'filesystem',
    { type: 'mount' },
    el('driver', { type: 'virtiofs', queue: 1024 }),
    el('source', { socket }),
    el('target', { dir: name }),
    userAlias(name, field),
  );

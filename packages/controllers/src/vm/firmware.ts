import { createHash } from 'node:crypto';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';

/** KubeVirt's, so that a VM that moves from there keeps its identity. */
const NAMESPACE = Buffer.from('6a1a24a1406146078bf4a3963d0c5895', 'hex');

/** The firmware UUID of a VM that names none: always the same for the same name (a version 5 UUID). */
export function firmwareUuid({ metadata }: Vm): string {
  const hash = createHash('sha1').update(NAMESPACE).update(metadata.name).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

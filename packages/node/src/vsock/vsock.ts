import { once } from 'node:events';
import { endianness } from 'node:os';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { internalError } from '@vireo/api/errors.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { dialRaw, type RawAddress } from './carrier.ts';

const AF_VSOCK = 40;
/** The bytes of `struct sockaddr_vm`. */
const ADDRESS_BYTES = 16;

/** The address of a vsock port, as `struct sockaddr_vm` has it. */
export function vsockAddress(cid: number, port: number): RawAddress {
  const bytes = Buffer.alloc(ADDRESS_BYTES);
  const isLittle = endianness() === 'LE';
  const [write16, write32] = isLittle
    ? ([bytes.writeUInt16LE, bytes.writeUInt32LE] as const)
    : ([bytes.writeUInt16BE, bytes.writeUInt32BE] as const);
  write16.call(bytes, AF_VSOCK, 0);
  write32.call(bytes, port, 4);
  write32.call(bytes, cid, 8);
  return { family: AF_VSOCK, bytes };
}

/** A connection to a vsock port of a guest. */
export async function openVsock({ metadata, status }: Vmi, port: number, useTls: boolean): Promise<Duplex> {
  if (status?.VSOCKCID === undefined) {
    const name = `${metadata.namespace}/${metadata.name}`;
    throw internalError(
      `the context ID of virtual machine instance ${name} is not known; restart the VM to give it one`,
    );
  }
  const stream = await dialRaw(vsockAddress(status.VSOCKCID, port));
  return useTls ? withTls(stream) : stream;
}

/** As KubeVirt: TLS 1.3 with any certificate, because only this guest can be at the other end. */
export async function withTls(stream: Duplex): Promise<Duplex> {
  const secure = connectTls({ socket: stream, rejectUnauthorized: false, minVersion: 'TLSv1.3' });
  try {
    await once(secure, 'secureConnect');
  } catch (error) {
    stream.destroy();
    throw internalError(`cannot reach the guest over TLS: ${(error as Error).message}`);
  }
  return secure.pause();
}

/** A member of an archive for tests; nothing about it need be sane. */
export interface TarMember {
  readonly name: string;
  readonly content?: Buffer | string;
  /** The type as archives have it; a file when missing. */
  readonly flag?: string;
  readonly linkName?: string;
  /** What the header claims, where that is not the truth. */
  readonly claimedSize?: number;
}

/** Packs members, as they are, into a tar archive. Long names are written GNU's way, or as pax where asked. */
export function tar(members: readonly TarMember[], longNames: 'gnu' | 'pax' = 'gnu'): Buffer {
  return Buffer.concat([...members.flatMap((member) => packMember(member, longNames)), Buffer.alloc(1024)]);
}

function packMember(member: TarMember, longNames: 'gnu' | 'pax'): Buffer[] {
  const { name, content = '', flag = '0', linkName = '', claimedSize } = member;
  const body = Buffer.from(content);
  const isLong = Buffer.byteLength(name) > 100;
  const extension = !isLong
    ? []
    : longNames === 'gnu'
      ? packMember({ name: '././@LongLink', flag: 'L', content: `${name}\0` }, longNames)
      : packMember({ name: 'PaxHeaders/x', flag: 'x', content: paxRecord('path', name) }, longNames);
  const size = claimedSize ?? body.length;
  return [...extension, header(name, flag, size, linkName), body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}

/** `length key=value\n`, where the length counts itself. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return `${length}${rest}`;
}

function header(name: string, flag: string, size: number, linkName: string): Buffer {
  const block = Buffer.alloc(512);
  Buffer.from(name).copy(block, 0, 0, 100);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  if (size < 8 ** 11) block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(flag, 156, 'latin1');
  Buffer.from(linkName).copy(block, 157, 0, 100);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

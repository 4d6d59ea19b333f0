import { toNumber } from '../ranges.ts';

/** A datagram from one guest to another, as nodes would send it to each other. */
export interface ForgedPacket {
  readonly vni: number;
  /** Of the node that receives it. */
  readonly mac: string;
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly text: string;
}

/** The contents of the VXLAN datagram: RFC 7348, around Ethernet, IPv4 and UDP. */
export function vxlanPacket({ vni, mac, from, to, port, text }: ForgedPacket): Buffer {
  const data = Buffer.from(text);
  const vxlan = Buffer.alloc(8);
  vxlan[0] = 0x08;
  vxlan.writeUIntBE(vni, 4, 3);
  const ethernet = Buffer.concat([
    Buffer.from(mac.replaceAll(':', ''), 'hex'),
    Buffer.from('020000000099', 'hex'),
    Buffer.from('0800', 'hex'),
  ]);
  const ip = Buffer.alloc(20);
  ip.set([0x45, 0]);
  ip.writeUInt16BE(28 + data.length, 2);
  ip.set([64, 17], 8);
  ip.writeUInt32BE(toNumber(from), 12);
  ip.writeUInt32BE(toNumber(to), 16);
  ip.writeUInt16BE(checksum(ip), 10);
  const udp = Buffer.alloc(8);
  udp.writeUInt16BE(4000, 0);
  udp.writeUInt16BE(port, 2);
  udp.writeUInt16BE(8 + data.length, 4);
  return Buffer.concat([vxlan, ethernet, ip, udp, data]);
}

function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < header.length; at += 2) sum += header.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

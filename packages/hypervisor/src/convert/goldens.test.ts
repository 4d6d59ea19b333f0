import { describe, expect, it } from 'vitest';
import { domainSchemaErrors } from '../testing/domainSchema.ts';
import { emulated, machine, onNode } from '../testing/fixtures.ts';
import type { ConverterContext } from './context.ts';
import { convertDomain } from './convertDomain.ts';

type Case = [title: string, file: string, vmi: ReturnType<typeof machine>, context: ConverterContext];

const rootDisk = { name: 'root', disk: { bus: 'virtio' } };

const cases: Case[] = [
  ['next to nothing', 'minimal', machine(), onNode()],
  ['next to nothing, emulated', 'minimal-emulated', machine(), emulated()],
  [
    'the usual machine: a disk, cloud-init and a network card',
    'usual',
    machine(
      {
        cpu: { sockets: 1, cores: 2, threads: 1, maxSockets: 4, model: 'host-model' },
        memory: { guest: '1Gi', maxGuest: '4Gi' },
        firmware: { uuid: '6a1a24a1-4061-4607-8bf4-a3963d0c5895', serial: 'abc-1' },
        devices: {
          disks: [rootDisk, { name: 'cloudinit', disk: { bus: 'virtio' } }],
          interfaces: [{ name: 'default', masquerade: {} }],
          rng: {},
        },
      },
      {},
    ),
    onNode(),
  ],
];

describe('domain XML', () => {
  it.each(cases)('%s', async (_title, file, vmi, context) => {
    const xml = convertDomain(vmi, context);
    await expect(xml).toMatchFileSnapshot(`./goldens/${file}.xml`);
    expect(domainSchemaErrors(xml)).toBe('');
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type FirmwareDescription, firmwareFile, readDescriptions, variablesTemplate } from './uefiTemplate.ts';

const firmware = (name: string, features: string[], machines: string[], device = 'flash'): FirmwareDescription => ({
  'interface-types': ['uefi'],
  mapping: { device, executable: { filename: `${name}.code` }, 'nvram-template': { filename: name, format: 'raw' } },
  targets: [{ architecture: 'x86_64', machines }],
  features,
});

const HOST = [
  firmware('enrolled', ['secure-boot', 'enrolled-keys', 'requires-smm'], ['pc-q35-*']),
  firmware('secure', ['secure-boot', 'requires-smm'], ['pc-q35-*']),
  firmware('memory', [], ['pc-q35-*'], 'memory'),
  firmware('plain', ['acpi-s3'], ['pc-i440fx-*', 'pc-q35-*']),
];

it.each([
  [{ machine: 'q35', secureBoot: true }, 'enrolled'],
  [{ machine: 'pc-q35-7.2', secureBoot: true }, 'enrolled'],
  [{ machine: 'q35', secureBoot: false }, 'plain'],
  [{ machine: 'pc', secureBoot: false }, 'plain'],
  [{ machine: 'pc', secureBoot: true }, undefined],
  [{ machine: 'virt', secureBoot: false }, undefined],
])('a machine with %o starts with the variables of %s', (needs, expected) => {
  expect(variablesTemplate({ architecture: 'x86_64', ...needs }, HOST)).toBe(expected);
  expect(firmwareFile({ architecture: 'x86_64', ...needs }, HOST)).toBe(expected && `${expected}.code`);
  expect(variablesTemplate({ architecture: 'aarch64', ...needs }, HOST)).toBeUndefined();
});

it('what the administrator describes hides what packages describe', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vireo-firmware-'));
  const places = ['packages', 'own'].map((name) => join(root, name));
  for (const place of places) await mkdir(place);
  const [packages = '', own = ''] = places;
  const write = (path: string, name: string) => writeFile(path, JSON.stringify(firmware(name, [], [])));
  await write(join(packages, '60-b.json'), 'b');
  await write(join(packages, '50-a.json'), 'a');
  await write(join(packages, '70-c.json'), 'c');
  await write(join(own, '60-b.json'), 'own b');
  await writeFile(join(own, '70-c.json'), '');
  await writeFile(join(own, 'README'), 'not firmware');
  const names = async (where: readonly string[]): Promise<unknown[]> =>
    (await readDescriptions(where)).map(({ mapping }) => mapping['nvram-template']?.filename);
  expect(await names(places)).toEqual(['a', 'own b']);
  expect(await names([join(root, 'nowhere')])).toEqual([]);
  await rm(root, { recursive: true });
});

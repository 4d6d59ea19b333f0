import { describe, expect, it } from 'vitest';
import { withoutVolume, withVolume } from './spec.ts';

const refuse = (why: string): Error => new Error(why);
const spec = {
  domain: { devices: { disks: [{ name: 'root' }, { name: 'data' }] } },
  volumes: [
    { name: 'root', containerDisk: { image: 'x' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'd1', hotpluggable: true } },
  ],
};
const source = { dataVolume: { name: 'new' } };

describe('a volume', () => {
  it('is added with its disk, by one name, as one that can go again', () => {
    const changed = withVolume(
      spec,
      { name: 'v', disk: { name: 'x', disk: { bus: 'scsi' } }, volumeSource: source },
      refuse,
    );
    expect(changed.volumes?.at(-1)).toEqual({ name: 'v', dataVolume: { name: 'new', hotpluggable: true } });
    expect(changed.domain?.devices?.disks?.at(-1)).toEqual({ name: 'v', disk: { bus: 'scsi' } });
  });

  it.each([
    [{ name: '', disk: { name: '' }, volumeSource: source }, 'AddVolumeOptions requires name to be set'],
    [
      { name: 'data', disk: { name: '' }, volumeSource: source },
      'Unable to add volume [data] because volume with that name',
    ],
    [
      { name: 'v', disk: { name: '' }, volumeSource: { persistentVolumeClaim: { claimName: 'd1' } } },
      'Unable to add volume source [d1] because it already exists',
    ],
  ])('%j is refused', (options, why) => {
    expect(() => withVolume(spec, options, refuse)).toThrow(why);
  });

  it('is removed by its name or that of its claim', () => {
    for (const name of ['data', 'd1']) {
      const changed = withoutVolume(spec, { name }, refuse);
      expect(changed.volumes?.map((each) => each.name)).toEqual(['root']);
      expect(changed.domain?.devices?.disks?.map((each) => each.name)).toEqual(['root']);
    }
    expect(() => withoutVolume(spec, { name: 'root' }, refuse)).toThrow('[root] because it is not hotpluggable');
    expect(() => withoutVolume(spec, { name: 'x' }, refuse)).toThrow('[x] because it does not exist');
  });
});

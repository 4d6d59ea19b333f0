import { TypedParameters, typed } from '@vireo/libvirt';
import { expect, it } from 'vitest';
import { operatingSystem } from './guestInfo.ts';

it("the operating system that a guest's agent tells has KubeVirt's names", () => {
  const reported = { id: 'debian', machine: 'x86_64', 'version-id': '12', 'kernel-release': '6.1.0' };
  const info = new TypedParameters(Object.entries(reported).map(([name, value]) => typed.string(`os.${name}`, value)));
  expect(operatingSystem(info)).toEqual({
    id: 'debian',
    machine: 'x86_64',
    versionId: '12',
    kernelRelease: '6.1.0',
  });
});

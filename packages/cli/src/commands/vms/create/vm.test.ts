import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { userDataOf } from './cloudInit.ts';
import { toYaml } from './manifest.ts';
import { type CreateVmOptions, vmManifest } from './vm.ts';

/** The spec as it is printed. */
const spec = (options: CreateVmOptions) => parse(toYaml(vmManifest({ name: 'web', ...options }))).spec;
const template = (options: CreateVmOptions) => spec(options).template.spec;

it('is what virtctl prints without options, in its order', () => {
  expect(toYaml(vmManifest({ name: 'web', namespace: 'lab' }))).toBe(`apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
  namespace: lab
spec:
  runStrategy: Always
  template:
    metadata: {}
    spec:
      domain:
        devices: {}
        memory:
          guest: 512Mi
        resources: {}
      terminationGracePeriodSeconds: 180
`);
  expect((vmManifest({}).metadata as { name: string }).name).toMatch(/^vm-[a-z0-9]{5}$/);
});

describe('volumes', () => {
  it.each([
    {
      options: { volumeContainerdisk: ['src:a/b:c', 'src:d,name:second'] },
      volumes: [
        { name: 'web-containerdisk-0', containerDisk: { image: 'a/b:c' } },
        { name: 'second', containerDisk: { image: 'd' } },
      ],
    },
    { options: { volumePvc: ['src:disk'] }, volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }] },
    {
      options: { volumeSysprep: 'src:answers' },
      volumes: [{ name: 'sysprepdisk', sysprep: { configMap: { name: 'answers' } } }],
    },
    {
      options: { volumeSysprep: 'src:answers,type:secret' },
      volumes: [{ name: 'sysprepdisk', sysprep: { secret: { name: 'answers' } } }],
    },
  ])('$options', ({ options, volumes }) => {
    expect(template(options).volumes).toEqual(volumes);
  });

  it.each([
    ['type:blank,size:1Gi,name:v', { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } }],
    [
      'type:http,url:https://a:8/b.qcow2,size:1Gi,name:v,extraheaders:A: 1;B: 2',
      {
        source: { http: { url: 'https://a:8/b.qcow2', extraHeaders: ['A: 1', 'B: 2'] } },
        storage: { resources: { requests: { storage: '1Gi' } } },
      },
    ],
    [
      'type:pvc,src:lab/disk,name:v',
      { source: { pvc: { name: 'disk', namespace: 'lab' } }, storage: { resources: {} } },
    ],
    ['type:ds,src:fedora,name:v', { sourceRef: { kind: 'DataSource', name: 'fedora' }, storage: { resources: {} } }],
    [
      'type:registry,url:docker://a,size:1Gi,name:v,pullmethod:node',
      {
        source: { registry: { url: 'docker://a', pullMethod: 'node' } },
        storage: { resources: { requests: { storage: '1Gi' } } },
      },
    ],
  ])('import %s', (text, expected) => {
    const { dataVolumeTemplates, template } = spec({ volumeImport: [text] });
    expect(dataVolumeTemplates).toEqual([{ metadata: { name: 'v' }, spec: expected }]);
    expect(template.spec.volumes).toEqual([{ name: 'v', dataVolume: { name: 'v' } }]);
  });

  it('boot in the order that is given', () => {
    const { domain } = template({ volumeContainerdisk: ['src:a,bootorder:2'], volumePvc: ['src:disk,bootorder:1'] });
    expect(domain.devices.disks).toEqual([
      { name: 'web-containerdisk-0', bootOrder: 2 },
      { name: 'disk', bootOrder: 1 },
    ]);
  });

  it('of older flags are imports, and say so', () => {
    const warning = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(spec({ volumeBlank: ['size:1Gi,name:v'] }).dataVolumeTemplates[0].spec.source).toEqual({ blank: {} });
    expect(warning).toHaveBeenCalledWith('Flag --volume-blank has been deprecated, use flag --volume-import instead');
    warning.mockRestore();
  });
});

describe('instancetype and preference', () => {
  it('named: the memory is theirs', () => {
    const { instancetype, preference, template } = spec({
      instancetype: 'u1',
      preference: 'virtualmachinepreference/p',
    });
    expect(instancetype).toEqual({ name: 'u1' });
    expect(preference).toEqual({ name: 'p', kind: 'virtualmachinepreference' });
    expect(template.spec.domain.memory).toBeUndefined();
  });

  it('inferred without being asked: failing is no matter, and there is memory all the same', () => {
    const { instancetype, preference, template } = spec({ volumePvc: ['src:disk'] });
    expect(instancetype).toEqual({ inferFromVolume: 'disk', inferFromVolumeFailurePolicy: 'Ignore' });
    expect(preference).toEqual(instancetype);
    expect(template.spec.domain.memory).toEqual({ guest: '512Mi' });
  });

  it('inferred as asked, from the volume that boots first', () => {
    const { instancetype, template } = spec({
      volumePvc: ['src:a,bootorder:2', 'src:b,bootorder:1'],
      inferInstancetype: true,
    });
    expect(instancetype).toEqual({ inferFromVolume: 'b' });
    expect(template.spec.domain.memory).toBeUndefined();
  });

  it('not inferred', () => {
    expect(spec({ volumePvc: ['src:disk'], inferInstancetype: false, inferPreference: false })).not.toHaveProperty(
      'instancetype',
    );
    expect(spec({ volumePvc: ['src:disk'], memory: '1Gi' })).not.toHaveProperty('instancetype');
    expect(spec({ volumeContainerdisk: ['src:a'] })).not.toHaveProperty('preference');
  });
});

describe('users', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'create-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('by name and key', () => {
    expect(template({ user: 'ada', sshKey: ['ssh-ed25519 AAAA ada@home'] }).volumes).toEqual([
      {
        name: 'cloudinitdisk',
        cloudInitNoCloud: { userData: '#cloud-config\nuser: ada\nssh_authorized_keys:\n  - ssh-ed25519 AAAA ada@home' },
      },
    ]);
  });

  it('whatever they are called is data', () => {
    const passwordFile = join(directory, 'password');
    writeFileSync(passwordFile, "p: '#\\n- x\n");
    const text = userDataOf({ user: 'a: {b}', passwordFile, sshKey: ['k\nruncmd: [x]', 'yes'] });
    expect(parse(text)).toEqual({
      user: 'a: {b}',
      password: "p: '#\\n- x",
      chpasswd: { expire: false },
      ssh_authorized_keys: ['k\nruncmd: [x]', 'yes'],
    });
  });

  it('on a drive of the other kind, with data of one’s own', () => {
    expect(template({ cloudInit: 'ConfigDrive', cloudInitUserData: 'I2Nsb3Vk' }).volumes).toEqual([
      { name: 'cloudinitdisk', cloudInitConfigDrive: { userDataBase64: 'I2Nsb3Vk' } },
    ]);
  });

  it('by a secret: the agent writes the keys', () => {
    const { accessCredentials, volumes } = template({ user: 'ada', accessCred: ['src:keys'] });
    expect(accessCredentials).toEqual([
      {
        sshPublicKey: {
          source: { secret: { secretName: 'keys' } },
          propagationMethod: { qemuGuestAgent: { users: ['ada'] } },
        },
      },
    ]);
    expect(parse(volumes[0].cloudInitNoCloud.userData).runcmd).toEqual([
      ['setsebool', '-P', 'virt_qemu_ga_manage_ssh', 'on'],
    ]);
  });

  it('by a secret on the drive: there is one', () => {
    const { accessCredentials, volumes } = template({
      accessCred: ['src:keys,method:configdrive', 'type:password,src:words'],
    });
    expect(accessCredentials[0].sshPublicKey.propagationMethod).toEqual({ configDrive: {} });
    expect(accessCredentials[1].userPassword.propagationMethod).toEqual({ qemuGuestAgent: {} });
    expect(volumes).toEqual([{ name: 'cloudinitdisk', cloudInitConfigDrive: { userData: '#cloud-config' } }]);
  });
});

describe('mistakes are named by flag', () => {
  it.each<[CreateVmOptions, string]>([
    [
      { runStrategy: 'Never' },
      'failed to parse "--run-strategy" flag: invalid RunStrategy "Never", supported values are: Always, Manual, Halted, Once, RerunOnFailure',
    ],
    [{ memory: 'lots' }, 'failed to parse "--memory" flag: quantities must match'],
    [
      { instancetype: 'pod/a' },
      'invalid instancetype kind "pod", supported values are: virtualmachineinstancetype, virtualmachineclusterinstancetype',
    ],
    [{ instancetype: 'a/b/c' }, 'invalid count 2 of slashes in prefix/name'],
    [{ volumeContainerdisk: [''] }, 'failed to parse "--volume-containerdisk" flag: params may not be empty'],
    [{ volumeContainerdisk: ['vireo/guest'] }, 'params need to have at least one colon: vireo/guest'],
    [{ volumeContainerdisk: ['name:a'] }, 'src must be specified'],
    [{ volumeContainerdisk: ['src:a,size:1'] }, 'unknown param(s): size:1'],
    [{ volumeContainerdisk: ['src:a,bootorder:x'] }, 'failed to parse param "bootorder"'],
    [{ volumeContainerdisk: ['src:a,bootorder:0'] }, 'bootorder must be greater than 0'],
    [{ volumePvc: ['src:a,bootorder:1', 'src:b,bootorder:1'] }, 'bootorder 1 was specified multiple times'],
    [{ volumePvc: ['src:a', 'src:a'] }, "there is already a volume with name 'a'"],
    [{ volumePvc: ['src:lab/a'] }, "not allowed to specify namespace of pvc 'a'"],
    [{ volumeImport: ['size:1Gi'] }, 'failed to parse "--volume-import" flag: type must be specified'],
    [{ volumeImport: ['type:ftp,size:1Gi'] }, 'unknown source type used - ftp'],
    [{ volumeImport: ['type:blank'] }, 'size must be specified'],
    [{ volumeImport: ['type:http,size:1Gi'] }, 'URL is required with http volume source'],
    [{ volumeImport: ['type:pvc,src:a'] }, "namespace of pvc 'a' must be specified"],
    [{ volumeImport: ['type:registry,size:1Gi'] }, 'exactly one of url or imagestream must be defined'],
    [
      { cloudInit: 'floppy' },
      'invalid cloud-init data source type "floppy", supported values are: nocloud, configdrive, none',
    ],
    [{ accessCred: ['src:keys'] }, 'user must be specified with access credential ssh method ga'],
    [
      { accessCred: ['src:keys,method:nocloud'], cloudInit: 'configdrive' },
      'method param and value passed to --cloud-init have to match: nocloud vs configdrive',
    ],
    [{ accessCred: ['src:keys,type:badge'] }, 'invalid access credential type "badge"'],
    [{ passwordFile: '/nowhere/password' }, 'failed to parse "--password-file" flag: no such file or directory'],
    [{ inferInstancetype: true }, 'at least one volume is needed to infer an instance type or preference'],
    [{ inferPreferenceFrom: 'x', volumePvc: ['src:a'] }, "there is no volume with name 'x'"],
    [
      { inferPreference: true, volumeContainerdisk: ['src:a'] },
      'works only with DataSources, DataVolumes or PersistentVolumeClaims',
    ],
  ])('%j', (options, message) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(() => vmManifest(options)).toThrow(message);
  });
});

import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { VirtualMachineTemplateRequest } from '@vireo/api/kinds/template/virtualMachineTemplateRequest.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { allow, testUser } from '../testing/roles.ts';

/** How a template refers to a parameter. */
const ref = (name: string): string => `\${${name}}`;

let installation: Installation;
beforeAll(async () => {
  installation = await install();
  const { client } = installation.server;
  const subresource = (name: string) => ({
    apiGroups: ['subresources.template.kubevirt.io'],
    resources: [`virtualmachinetemplates/${name}`],
    verbs: ['create'],
  });
  await allow(client, 'processor', [subresource('process')]);
  await allow(client, 'half', [subresource('create')]);
  await allow(client, 'maker', [
    subresource('create'),
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['create'] },
  ]);
  await client.of(VirtualMachineTemplate).create({
    metadata: { name: 'golden', namespace: 'default' },
    spec: {
      message: `hello ${ref('NAME')}`,
      parameters: [{ name: 'NAME', required: true }],
      virtualMachine: {
        metadata: { name: ref('NAME') },
        spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
      },
    },
  });
});
afterAll(() => installation?.close());

const GROUP = '/apis/subresources.template.kubevirt.io';

async function ask(action: string, as: string, body?: unknown, name = 'golden', version = 'v1beta1') {
  const path = `${GROUP}/${version}/namespaces/default/virtualmachinetemplates/${name}/${action}`;
  const answer = await installation.server.inProcess(testUser(as)).call({ method: 'POST', path, body });
  return { status: answer.status, body: answer.body as Record<string, unknown> };
}

const named = (NAME: string) => ({ parameters: { NAME } });

describe('a template of KubeVirt', () => {
  it.each(['v1beta1', 'v1alpha1'])('is processed by %s, and nothing is created', async (version) => {
    const { status, body } = await ask('process', 'processor', named('web'), 'golden', version);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      apiVersion: `subresources.template.kubevirt.io/${version}`,
      kind: 'ProcessedVirtualMachineTemplate',
      templateRef: { namespace: 'default', name: 'golden' },
      message: 'hello web',
      virtualMachine: { kind: 'VirtualMachine', metadata: { name: 'web' }, spec: { runStrategy: 'Halted' } },
    });
    expect(await installation.server.client.of(VirtualMachine).find('web', { namespace: 'default' })).toBeUndefined();
  });

  it('becomes a VM, by the rights of whoever asks', async () => {
    const { status, body } = await ask('create', 'half', named('mine'));
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: expect.stringContaining(
        'User "half" cannot create resource "virtualmachines" in API group "kubevirt.io"',
      ),
    });
    expect((await ask('create', 'maker', named('mine'))).status).toBe(200);
    const vm = await installation.server.client.of(VirtualMachine).get('mine', { namespace: 'default' });
    expect(vm.spec.runStrategy).toBe('Halted');
    expect((await ask('create', 'maker', named('mine'))).status).toBe(409);
  });

  it.each<[string, string, string, unknown, string, number, string]>([
    [
      'to a stranger',
      'process',
      'stranger',
      named('x'),
      'golden',
      403,
      'cannot create resource "virtualmachinetemplates/process"',
    ],
    [
      'to who may only process',
      'create',
      'processor',
      named('x'),
      'golden',
      403,
      'cannot create resource "virtualmachinetemplates/create"',
    ],
    ['without a value', 'process', 'processor', undefined, 'golden', 422, "parameter 'NAME' is required"],
    [
      'with an unknown parameter',
      'process',
      'processor',
      { parameters: { NAME: 'x', X: '' } },
      'golden',
      422,
      'parameter X not found',
    ],
    ['with a number', 'process', 'processor', { parameters: { NAME: 1 } }, 'golden', 422, 'must be an object of texts'],
    ['when it is not there', 'process', 'processor', named('x'), 'nothing', 404, '"nothing" not found'],
  ])('is refused %s', async (_, action, as, body, name, status, message) => {
    const answer = await ask(action, as, body, name);
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status,
      message: expect.stringContaining(message),
    });
  });

  it('is found by discovery', async () => {
    const { body } = await installation.server
      .inProcess(testUser('half'))
      .call({ method: 'GET', path: `${GROUP}/v1beta1` });
    expect(body).toMatchObject({
      resources: [{ name: 'virtualmachinetemplates/create' }, { name: 'virtualmachinetemplates/process' }],
    });
  });

  it('that could never be processed is refused', async () => {
    const spec = { virtualMachine: { metadata: { name: ref('NO') } } };
    const create = installation.server.client
      .of(VirtualMachineTemplate)
      .create({ metadata: { name: 'bad', namespace: 'default' }, spec });
    await expect(create).rejects.toThrow("found parameter 'NO' but it was not defined");
  });

  it('is asked for in the namespace of its VM only, without labels of the system', async () => {
    const request = (namespace: string, templateLabels: Record<string, string>) =>
      installation.server.client.of(VirtualMachineTemplateRequest).create({
        metadata: { name: 'ask', namespace: 'default' },
        spec: { virtualMachineRef: { namespace, name: 'web' }, templateLabels },
      });
    await expect(request('other', {})).rejects.toThrow('Vireo makes templates only in the namespace of their VM');
    await expect(request('default', { 'template.kubevirt.io/x': '' })).rejects.toThrow('are reserved');
  });
});

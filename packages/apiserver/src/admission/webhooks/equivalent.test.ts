import { type UnknownObject, ValidatingWebhookConfiguration } from '@vireo/api';
import { objectResponse } from '@vireo/kube';
import { beforeAll, expect, it } from 'vitest';
import { serverOfFile } from '../../testing/calls.ts';
import { define } from '../../testing/widgets.ts';

const calls = serverOfFile();
const { post, server } = calls;

interface Review {
  uid: string;
  kind: { version: string };
  requestKind: { version: string };
  object: UnknownObject;
}
const asked: Review[] = [];

beforeAll(async () => {
  await define(calls, { group: 'same.example.com', versions: [{}, {}] });
  server().server.api.services.register('system', 'check', async ({ body }) => {
    const { request } = ((await body()) as { value: { request: Review } }).value;
    asked.push(request);
    const response = { uid: request.uid, allowed: request.object.forbidden !== true };
    return objectResponse({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
  });
  const webhook = (matchPolicy: string) => ({
    name: `${matchPolicy.toLowerCase()}.example.com`,
    matchPolicy,
    rules: [{ operations: ['CREATE'], apiGroups: ['same.example.com'], apiVersions: ['v1'], resources: ['widgets'] }],
    clientConfig: { service: { namespace: 'system', name: 'check' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  });
  await server()
    .client.of<UnknownObject>(ValidatingWebhookConfiguration)
    .create({ metadata: { name: 'check' }, webhooks: [webhook('Equivalent'), webhook('Exact')] });
});

const create = (version: string, object: object) =>
  post(`/apis/same.example.com/${version}/namespaces/default/widgets`, object);

it('webhooks hear of every version of what they ask for, in the version that they ask for', async () => {
  expect((await create('v2', { metadata: { name: 'a' } })).status).toBe(201);
  expect(asked).toMatchObject([
    { kind: { version: 'v1' }, requestKind: { version: 'v2' }, object: { apiVersion: 'same.example.com/v1' } },
  ]);
  expect(await create('v2', { metadata: { name: 'b' }, forbidden: true })).toMatchObject({
    status: 400,
    body: { message: 'admission webhook "equivalent.example.com" denied the request without explanation' },
  });
});

it('and those that take their rules exactly do not', async () => {
  asked.length = 0;
  expect((await create('v1', { metadata: { name: 'c' } })).status).toBe(201);
  expect(asked).toHaveLength(2);
});

it('rules that change hold for the writes that come', async () => {
  const configurations = server().client.of<UnknownObject>(ValidatingWebhookConfiguration);
  const [first, second] = (await configurations.get('check')).webhooks as [object, object];
  const elsewhere = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }];
  const webhooks = [{ ...first, rules: elsewhere }, second];
  await configurations.patch('check', { webhooks }, { type: 'merge' });
  await expect
    .poll(async () => {
      asked.length = 0;
      await create('v1', { metadata: { generateName: 'd-' } });
      return asked.length;
    })
    .toBe(1);
});

it('match conditions decide whether a webhook is called', async () => {
  const configurations = server().client.of<UnknownObject>(ValidatingWebhookConfiguration);
  const outcomeOf = async (matchConditions: object[], failurePolicy = 'Fail') => {
    asked.length = 0;
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const clientConfig = { service: { namespace: 'system', name: 'check' } };
    const webhook = { name: 'c.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] };
    await configurations.create({
      metadata: { name: 'conditions' },
      webhooks: [{ ...webhook, rules, clientConfig, matchConditions, failurePolicy }],
    });
    const { status, body } = await post(
      '/api/v1/namespaces/default/configmaps',
      { metadata: { name: 'c' } },
      { query: { dryRun: 'All' } },
    );
    await configurations.delete('conditions');
    return status === 201 ? asked.length : { status, message: body.message };
  };
  const condition = (expression: string) => ({ name: 'c', expression });
  const user = "request.userInfo.username != 'nobody' && authorizer.requestResource.check('create').allowed()";
  expect(await outcomeOf([condition(user)])).toBe(1);
  expect(await outcomeOf([condition("request.resource.resource != 'configmaps'")])).toBe(0);
  expect(await outcomeOf([condition('object.data.x == 1')], 'Ignore')).toBe(0);
  expect(await outcomeOf([condition('object.data.x == 1')])).toEqual({
    status: 403,
    message: `configmaps "c" is forbidden: expression 'object.data.x == 1' resulted in error: no such key: data`,
  });
});

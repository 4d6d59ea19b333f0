import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from './webhookConfiguration.ts';

const webhook = (rest: object = {}) => ({
  name: 'vm.admission.example.com',
  clientConfig: { service: { namespace: 'a', name: 'b' } },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 10,
  ...rest,
});
const at = 'webhooks[0].';

test.each<[string, object, string[]]>([
  ['a plain one', {}, []],
  [
    'a name that is not fully qualified',
    { name: 'vm.example' },
    [`${at}name: Invalid value: "vm.example": should be a domain with at least three segments separated by dots`],
  ],
  [
    'nobody to call',
    { clientConfig: {} },
    [`${at}clientConfig: Required value: exactly one of url or service is required`],
  ],
  [
    'two to call',
    { clientConfig: { url: 'https://x', service: { namespace: 'a', name: 'b' } } },
    [`${at}clientConfig: Required value: exactly one of url or service is required`],
  ],
  [
    'a call in the clear',
    { clientConfig: { url: 'http://x/y' } },
    [
      `${at}clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ],
  ],
  [
    'a URL with more than a path',
    { clientConfig: { url: 'https://me:secret@x/y?z#w' } },
    [
      `${at}clientConfig.url: Invalid value: "me:secret": user information is not permitted in the URL`,
      `${at}clientConfig.url: Invalid value: "w": fragments are not permitted in the URL`,
      `${at}clientConfig.url: Invalid value: "z": query parameters are not permitted in the URL`,
    ],
  ],
  [
    'a URL that is a path',
    { clientConfig: { url: 'x' } },
    [
      `${at}clientConfig.url: Invalid value: "": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      `${at}clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]`,
    ],
  ],
  [
    'a URL that is none',
    { clientConfig: { url: 'https://x:y' } },
    [
      `${at}clientConfig.url: Required value: url must be a valid URL: parse "https://x:y": invalid port ":y" after host; desired format: https://host[/path]`,
    ],
  ],
  [
    'a Service without much',
    { clientConfig: { service: { namespace: '', name: '', port: 0, path: 'a//B/' } } },
    [
      `${at}clientConfig.service.name: Required value`,
      `${at}clientConfig.service.namespace: Required value`,
      `${at}clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
      `${at}clientConfig.service.path: Invalid value: "a//B/": must start with a '/'`,
      `${at}clientConfig.service.path: Invalid value: "a//B/": segment[0] may not be empty`,
      `${at}clientConfig.service.path: Invalid value: "a//B/": segment[1] may not be empty`,
      expect.stringContaining(`${at}clientConfig.service.path: Invalid value: "a//B/": segment[2]: `),
    ],
  ],
  [
    'versions twice',
    { admissionReviewVersions: ['v1', 'v1'] },
    [`${at}admissionReviewVersions[1]: Invalid value: "v1": duplicate version`],
  ],
  [
    'side effects',
    { sideEffects: 'Some' },
    [`${at}sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`],
  ],
  [
    'side effects that are not declared',
    { sideEffects: undefined },
    [`${at}sideEffects: Required value: must specify one of None, NoneOnDryRun`],
  ],
  [
    'no version that the server speaks',
    { admissionReviewVersions: ['v9'] },
    [`${at}admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1`],
  ],
  [
    'no version at all',
    { admissionReviewVersions: [] },
    [`${at}admissionReviewVersions: Required value: must specify one of v1, v1beta1`],
  ],
  [
    'too much patience',
    { timeoutSeconds: 31 },
    [`${at}timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`],
  ],
  [
    'a rule of nothing',
    { rules: [{}] },
    [
      `${at}rules[0].operations: Required value`,
      `${at}rules[0].apiGroups: Required value`,
      `${at}rules[0].apiVersions: Required value`,
      `${at}rules[0].resources: Required value`,
    ],
  ],
  [
    'everything and something',
    { rules: [{ operations: ['*', 'CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] },
    [`${at}rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`],
  ],
  [
    'conditions that do not compile',
    {
      matchConditions: [
        { name: 'a', expression: 'params == null' },
        { name: 'b c', expression: '1' },
      ],
    },
    [
      `${at}matchConditions[0].expression: Invalid value: "params == null": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params == null\n | ^`,
      `${at}matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int`,
      expect.stringContaining(`${at}matchConditions[1].name: Invalid value: "b c": name part must consist of`),
    ],
  ],
])('%s', (_, rest, expected) => {
  const configuration = { metadata: { name: 'w' }, webhooks: [webhook(rest)] };
  expect(problems(mutatingWebhookConfigurationStrategy, configuration)).toEqual(expected);
  expect(problems(validatingWebhookConfigurationStrategy, configuration)).toEqual(expected);
});

test('one name twice', () => {
  const webhooks = [webhook(), webhook()];
  expect(problems(mutatingWebhookConfigurationStrategy, { metadata: { name: 'w' }, webhooks })).toEqual([
    'webhooks[1].name: Duplicate value: "vm.admission.example.com"',
  ]);
});

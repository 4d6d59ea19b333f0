import {
  CustomResourceDefinition,
  isConditionTrue,
  type KubeObject,
  toCrd,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { type Client, ignoreNotFound } from '@vireo/kube';
import type { TestWebhookServer } from '../webhookServer.ts';
import { GatewayV1, GatewayV2 } from './kinds.ts';

const NAME = `${GatewayV1.plural}.${GatewayV1.group}`;
const MANAGER = { type: 'apply', fieldManager: 'gateways-installer', force: true } as const;

/** The first release: one version, and a webhook that validates. */
export async function install(client: Client, webhooks: TestWebhookServer): Promise<void> {
  await client.of(CustomResourceDefinition).patch(NAME, toCrd<KubeObject>([GatewayV1]), MANAGER);
  await established(client);
  await client.of(ValidatingWebhookConfiguration).patch(NAME, validation(webhooks), MANAGER);
}

/** The second release: a new version, which is stored from now on. What is stored moves; then the old version is done. */
export async function upgrade(client: Client, { url, caBundle }: TestWebhookServer): Promise<void> {
  const clientConfig = { url: `${url}/convert`, caBundle };
  const definition = toCrd<KubeObject>([GatewayV1, GatewayV2], {
    storageVersion: 'v2',
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
  });
  await client.of(CustomResourceDefinition).patch(NAME, definition, MANAGER);
  await served(client);
  await migrate(client);
}

/** A write that changes nothing stores an object in the version that is stored now. */
async function migrate(client: Client): Promise<void> {
  const gateways = client.of(GatewayV2);
  for (const { metadata } of (await gateways.list({})).items)
    await gateways
      .patch(metadata.name, {}, { type: 'merge', namespace: metadata.namespace as string })
      .catch(ignoreNotFound);
  const status = { storedVersions: ['v2'] };
  await client.of(CustomResourceDefinition).patchStatus(NAME, { status }, { type: 'merge' });
}

/** Removes the definition, and with it all gateways, and then what would be asked about them. */
export async function uninstall(client: Client): Promise<void> {
  await client.of(CustomResourceDefinition).delete(NAME);
  await until(async () => !(await client.of(CustomResourceDefinition).find(NAME)));
  await client.of(ValidatingWebhookConfiguration).delete(NAME);
}

const validation = ({ url, caBundle }: TestWebhookServer): ValidatingWebhookConfiguration => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: NAME },
  webhooks: [
    {
      name: 'validate.net.example.com',
      clientConfig: { url: `${url}/validate`, caBundle },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: [GatewayV1.group],
          apiVersions: ['v1'],
          resources: ['gateways'],
        },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

const established = (client: Client): Promise<void> =>
  until(async () => isConditionTrue(await client.of(CustomResourceDefinition).get(NAME), 'Established'));

const served = (client: Client): Promise<void> =>
  until(() =>
    client
      .of(GatewayV2)
      .list({})
      .then(
        () => true,
        () => false,
      ),
  );

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 10));
}

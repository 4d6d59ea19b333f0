import { Namespace, type UnknownObject, ValidatingWebhookConfiguration } from '@vireo/api';
import { expect, it, vi } from 'vitest';
import { startTestServer } from '../../testing/server.ts';
import { startWebhookServer } from '../../testing/webhookServer.ts';

it('a controller that waits for a webhook does not keep the server from ending', async () => {
  const asked = vi.fn(() => undefined);
  const hooks = await startWebhookServer(asked);
  const server = await startTestServer();
  try {
    await server.client.of<UnknownObject>(ValidatingWebhookConfiguration).create({
      metadata: { name: 'silent' },
      webhooks: [
        {
          name: 'silent.example.com',
          clientConfig: { url: hooks.url, caBundle: hooks.caBundle },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 30,
        },
      ],
    });
    // A controller gives it a ConfigMap with the server's authority.
    await server.client.of(Namespace).create({ metadata: { name: 'new' } });
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 5000, interval: 20 });
  } finally {
    await server.close();
    await hooks.close();
  }
}, 20_000);

import type { Namespace } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import type { RemainingContent } from './content.ts';
import { isEmpty, terminationConditions } from './status.ts';

const now = new Date('2026-01-01T00:00:00Z');
const namespace: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
const remains = (
  plural: string,
  count: number,
  finalizers: Record<string, number> = {},
  group = '',
  error?: string,
): RemainingContent => ({
  kind: { group, plural },
  count,
  finalizers: new Map(Object.entries(finalizers)),
  ...(error && { error }),
});
const messages = (...content: RemainingContent[]) =>
  Object.fromEntries(
    terminationConditions(namespace, content, now).map(({ type, status, message }) => [type, `${status} ${message}`]),
  );

describe('terminationConditions', () => {
  it('says that all went well', () => {
    expect(messages(remains('pods', 0))).toEqual({
      NamespaceDeletionDiscoveryFailure: 'False All resources successfully discovered',
      NamespaceDeletionGroupVersionParsingFailure: 'False All legacy kube types successfully parsed',
      NamespaceDeletionContentFailure: 'False All content successfully deleted, may be waiting on finalization',
      NamespaceContentRemaining: 'False All content successfully removed',
      NamespaceFinalizersRemaining: 'False All content-preserving finalizers finished',
    });
  });

  it('names what remains and what holds it', () => {
    const content = [
      remains('pods', 2),
      remains('virtualmachines', 1, { 'kubevirt.io/virtualMachineControllerFinalize': 1 }, 'kubevirt.io'),
    ];
    expect(messages(...content)).toMatchObject({
      NamespaceContentRemaining:
        'True Some resources are remaining: pods. has 2 resource instances, virtualmachines.kubevirt.io has 1 resource instances',
      NamespaceFinalizersRemaining:
        'True Some content in the namespace has finalizers remaining: kubevirt.io/virtualMachineControllerFinalize in 1 resource instances',
    });
    expect(isEmpty(content)).toBe(false);
  });

  it('reports a deletion that failed, even where nothing seems to remain', () => {
    const content = [remains('pods', 0, {}, '', 'pods: no')];
    expect(messages(...content).NamespaceDeletionContentFailure).toBe(
      'True Failed to delete all resource types, 1 remaining: pods: no',
    );
    expect(isEmpty(content)).toBe(false);
  });

  it('keeps the time while the status stays', () => {
    const first = terminationConditions(namespace, [remains('pods', 1)], now);
    const again = terminationConditions(
      { ...namespace, status: { conditions: first } },
      [remains('pods', 1)],
      new Date('2026-02-01'),
    );
    expect(again).toEqual(first);
  });
});

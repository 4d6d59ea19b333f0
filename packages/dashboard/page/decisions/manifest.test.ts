import { expect, it } from 'vitest';
import { withoutManagedFields } from './manifest.ts';

it('begins with the kind, and leaves out who manages which field', () => {
  const stored = {
    metadata: { name: 'web', managedFields: [] },
    spec: {},
    kind: 'VirtualMachine',
    apiVersion: 'kubevirt.io/v1',
  };
  expect(JSON.stringify(withoutManagedFields(stored))).toBe(
    '{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"web"},"spec":{}}',
  );
});

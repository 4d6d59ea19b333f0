import { builtinKinds, groupVersion, type Schema } from '@vireo/api';
import { expect, it } from 'vitest';
import { decodeProtobuf } from './decode.ts';

const schemaOf = (apiVersion: string, kind: string): Schema | undefined =>
  builtinKinds.find((one) => one.kind === kind && groupVersion(one.group, one.version) === apiVersion)
    ?.schema as Schema;

// What kubectl 1.32 sent, byte for byte.
it.each([
  [
    'create deployment d --image=nginx --replicas=0 --port=80',
    'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErABChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQSggEIABIKCggKA2FwcBIBZBpqChoKABIAGgAiACoAMgA4AEIAWggKA2FwcBIBZBJMEi4KBW5naW54EgVuZ2lueCoAMgoKABAAGFAiACoAQgBqAHIAgAEAiAEAkAEAogEAGgAyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBACICCgAoADgAGgwIABAAGAAgACgAOAAaACIA',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', labels: { app: 'd' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'd' } },
        template: {
          metadata: { labels: { app: 'd' } },
          spec: { containers: [{ name: 'nginx', image: 'nginx', ports: [{ containerPort: 80 }], resources: {} }] },
        },
        strategy: {},
      },
      status: {},
    },
  ],
  [
    'auth can-i get pods',
    'azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPAoQCgASABoAIgAqADIAOABCABIeChwKB2RlZmF1bHQSA2dldBoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA=',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
      status: { allowed: false },
    },
  ],
])('kubectl %s', (_, body, expected) => {
  expect(decodeProtobuf(Buffer.from(body, 'base64'), schemaOf)).toEqual(expected);
});

import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

const pod = (name: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  containers: [{name: main, image: busybox}]
---
`;

describe('kubectl wait', () => {
  it('waits for a condition, a value, or the end of an object', async () => {
    await namespace('patient');
    await kubectl.do('create -n patient -f -', { input: pod('p') });
    const wait = (what: string) => kubectl(`wait ${what} -n patient --timeout=20s`);
    const [condition, value, deleted] = [
      wait('--for=condition=Ready pod/p'),
      wait(`--for=jsonpath='{.status.phase}'=Running pod/p`),
      wait('--for=delete pod/p'),
    ];
    await kubectl.do(
      `patch pod p -n patient --subresource=status -p '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'`,
    );
    expect(await condition).toMatchInlineSnapshot(`"pod/p condition met"`);
    expect(await value).toMatchInlineSnapshot(`"pod/p condition met"`);
    await kubectl.do('delete pod p -n patient');
    // A wait that begins when all is over says nothing.
    expect(['pod/p condition met', '']).toContain(await deleted);
  });

  it('gives up after its time', async () => {
    await kubectl.do('create configmap never');
    expect(await kubectl('wait --for=condition=Ready configmap/never --timeout=1s')).toMatchInlineSnapshot(`
      "error: timed out waiting for the condition on configmaps/never
      exit code 1"
    `);
    expect(await kubectl('wait --for=condition=Ready configmap/absent --timeout=1s')).toMatchInlineSnapshot(`
      "Error from server (NotFound): configmaps "absent" not found
      exit code 1"
    `);
  });
});

describe('kubectl events', () => {
  const event = (name: string, type: string, reason: string, secondsAgo: number) => `
apiVersion: v1
kind: Event
metadata: {name: ${name}, namespace: log}
involvedObject: {apiVersion: v1, kind: ConfigMap, name: thing, namespace: log}
type: ${type}
reason: ${reason}
message: It ${reason.toLowerCase()}.
count: 3
firstTimestamp: "${new Date(Date.now() - 60_000).toISOString()}"
lastTimestamp: "${new Date(Date.now() - 1000 * secondsAgo).toISOString()}"
source: {component: me}
---
`;

  it('lists, selects by type and object, and serves both API groups from one store', async () => {
    await namespace('log');
    await kubectl.do('create -f -', {
      input: event('a', 'Normal', 'Started', 20) + event('b', 'Warning', 'Crashed', 10),
    });
    const [events, warnings, table, other, field] = await Promise.all([
      kubectl('events -n log --for configmap/thing'),
      kubectl('events -n log --types=Warning'),
      kubectl('get events -n log'),
      kubectl('get events.events.k8s.io a -n log -o jsonpath={.reason}/{.note}/{.regarding.name}/{.deprecatedCount}'),
      kubectl('get events -n log -o name --field-selector involvedObject.name=thing,type=Warning'),
    ]);
    expect(events).toMatchInlineSnapshot(`
      "LAST SEEN         TYPE      REASON    OBJECT            MESSAGE
      1s (x3 over 1s)   Normal    Started   ConfigMap/thing   It started.
      1s (x3 over 1s)   Warning   Crashed   ConfigMap/thing   It crashed."
    `);
    expect(warnings).toMatchInlineSnapshot(`
      "LAST SEEN         TYPE      REASON    OBJECT            MESSAGE
      1s (x3 over 1s)   Warning   Crashed   ConfigMap/thing   It crashed."
    `);
    expect(table).toMatchInlineSnapshot(`
      "LAST SEEN   TYPE      REASON    OBJECT            MESSAGE
      1s          Normal    Started   configmap/thing   It started.
      1s          Warning   Crashed   configmap/thing   It crashed."
    `);
    expect(other).toBe('Started/It started./thing/3');
    expect(field).toBe('event/b');
  });
});

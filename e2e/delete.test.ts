import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

const pod = (name: string, { node = '', labels = '{}' } = {}) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: ${labels}}
spec:
  ${node && `nodeName: ${node}`}
  containers: [{name: main, image: busybox}]
---
`;

const configMap = (name: string, metadata = '') => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}${metadata}}
---
`;

describe('kubectl delete', () => {
  it('takes names, kinds, files, labels, and all', async () => {
    await namespace('many');
    await kubectl.do('create -n many -f -', {
      input: ['a', 'b', 'c', 'd', 'e'].map((name) => configMap(name, name < 'd' ? ', labels: {set: x}' : '')).join(''),
    });
    expect(await kubectl('delete configmap a -n many')).toMatchInlineSnapshot(`"configmap "a" deleted"`);
    expect(await kubectl('delete -n many -f -', { input: configMap('b') })).toMatchInlineSnapshot(
      `"configmap "b" deleted"`,
    );
    expect(await kubectl('delete configmap -l set=x -n many')).toMatchInlineSnapshot(`"configmap "c" deleted"`);
    expect(await kubectl('delete cm/d sa/default -n many')).toMatchInlineSnapshot(`
      "configmap "d" deleted
      serviceaccount "default" deleted"
    `);
    expect(await kubectl('delete configmap --all -n many')).toMatchInlineSnapshot(`
      "configmap "e" deleted
      configmap "kube-root-ca.crt" deleted"
    `);
    expect(await kubectl('delete configmap a -n many')).toMatchInlineSnapshot(`
      "Error from server (NotFound): configmaps "a" not found
      exit code 1"
    `);
    expect(await kubectl('delete configmap a -n many --ignore-not-found')).toBe('');
  });

  it('does nothing in a dry run', async () => {
    await kubectl.do('create configmap dry');
    expect(await kubectl('delete configmap dry --dry-run=server')).toMatchInlineSnapshot(
      `"configmap "dry" deleted (server dry run)"`,
    );
    expect(await kubectl('delete configmap dry --dry-run=client')).toMatchInlineSnapshot(
      `"configmap "dry" deleted (dry run)"`,
    );
    expect(await kubectl('get configmap dry -o name')).toBe('configmap/dry');
  });

  it('waits for finalizers: the object stays, marked, until they are gone', async () => {
    await kubectl.do('create -f -', { input: configMap('held', ', finalizers: [example.com/hold]') });
    const deletion = kubectl.start('delete configmap held');
    await deletion.until('deleted');
    expect(await kubectl('get configmap held -o jsonpath={.metadata.deletionTimestamp}')).toBe('<time>');
    expect(
      await kubectl(`patch configmap held -p '{"metadata":{"finalizers":["example.com/more"]}}'`),
    ).toMatchInlineSnapshot(`
      "The ConfigMap "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}
      exit code 1"
    `);
    await kubectl.do(`patch configmap held --type=merge -p '{"metadata":{"finalizers":[]}}'`);
    expect((await deletion.ended).code).toBe(0);
    expect(await kubectl('get configmap held')).toMatchInlineSnapshot(`
      "Error from server (NotFound): configmaps "held" not found
      exit code 1"
    `);
  });

  it('gives up waiting after --timeout', async () => {
    await kubectl.do('create -f -', { input: configMap('stuck', ', finalizers: [example.com/hold]') });
    expect(await kubectl('delete configmap stuck --timeout=1s')).toMatchInlineSnapshot(`
      "configmap "stuck" deleted
      error: timed out waiting for the condition on configmaps/stuck
      exit code 1"
    `);
    expect(await kubectl('delete configmap stuck --wait=false')).toMatchInlineSnapshot(`"configmap "stuck" deleted"`);
  });

  it('gives a pod on a node its grace period, and none with --force', async () => {
    await kubectl.do('create -f -', { input: 'apiVersion: v1\nkind: Node\nmetadata: {name: node-1}' });
    await kubectl.do('create -f -', { input: pod('unbound') + pod('bound', { node: 'node-1' }) });
    expect(await kubectl('delete pod unbound')).toMatchInlineSnapshot(`"pod "unbound" deleted"`);
    expect(await kubectl('delete pod bound --wait=false')).toMatchInlineSnapshot(`"pod "bound" deleted"`);
    expect(await kubectl('get pod bound')).toMatchInlineSnapshot(`
      "NAME    READY   STATUS        RESTARTS   AGE
      bound   0/1     Terminating   0          1s"
    `);
    expect(await kubectl('get pod bound -o jsonpath={.metadata.deletionGracePeriodSeconds}')).toBe('30');
    expect(await kubectl('delete pod bound --grace-period=5 --wait=false')).toMatchInlineSnapshot(
      `"pod "bound" deleted"`,
    );
    expect(await kubectl('get pod bound -o jsonpath={.metadata.deletionGracePeriodSeconds}')).toBe('5');
    expect(await kubectl('delete pod bound --force --grace-period=0')).toMatchInlineSnapshot(`
      "pod "bound" force deleted
      Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely."
    `);
    expect(await kubectl('get pod bound')).toMatchInlineSnapshot(`
      "Error from server (NotFound): pods "bound" not found
      exit code 1"
    `);
  });
});

describe('kubectl delete --cascade', () => {
  /** An owner and what it owns; the second blocks a foreground deletion by a finalizer of its own. */
  async function family(owner: string, finalizers = '[]'): Promise<void> {
    await kubectl.do(`create configmap ${owner}`);
    const uid = await kubectl.json<string>(`get configmap ${owner} -o jsonpath='"{.metadata.uid}"'`);
    const reference = `{apiVersion: v1, kind: ConfigMap, name: ${owner}, uid: ${uid}, blockOwnerDeletion: true}`;
    await kubectl.do('create -f -', {
      input: configMap(`${owner}-child`, `, ownerReferences: [${reference}], finalizers: ${finalizers}`),
    });
  }

  it('background: the owner goes, its dependents follow', async () => {
    await family('background');
    expect(await kubectl('delete configmap background')).toMatchInlineSnapshot(`"configmap "background" deleted"`);
    expect(await kubectl('wait --for=delete configmap/background-child --timeout=10s')).not.toContain('error');
    expect(await kubectl('get configmap background-child')).toContain('not found');
  });

  it('foreground: the owner waits for its dependents', async () => {
    await family('foreground', '[example.com/hold]');
    const deletion = kubectl.start('delete configmap foreground --cascade=foreground');
    await deletion.until('deleted');
    await kubectl.until('get configmap foreground-child -o jsonpath={.metadata.deletionTimestamp}', '<time>');
    expect(await kubectl('get configmap foreground -o jsonpath={.metadata.finalizers}')).toMatchInlineSnapshot(
      `"["foregroundDeletion"]"`,
    );
    await kubectl.do(`patch configmap foreground-child --type=merge -p '{"metadata":{"finalizers":null}}'`);
    expect((await deletion.ended).code).toBe(0);
    expect(await kubectl('get configmap foreground foreground-child --ignore-not-found')).toBe('');
  });

  it('orphan: the dependents stay and have no owner', async () => {
    await family('orphan');
    expect(await kubectl('delete configmap orphan --cascade=orphan')).toMatchInlineSnapshot(
      `"configmap "orphan" deleted"`,
    );
    expect(await kubectl('get configmap orphan-child -o jsonpath={.metadata.name}{.metadata.ownerReferences}')).toBe(
      'orphan-child',
    );
  });

  it('an owner that was never there counts as gone', async () => {
    const reference = '{apiVersion: v1, kind: ConfigMap, name: never, uid: 00000000-0000-4000-8000-000000000000}';
    await kubectl.do('create -f -', { input: configMap('stray', `, ownerReferences: [${reference}]`) });
    await kubectl.do('wait --for=delete configmap/stray --timeout=10s');
    expect(await kubectl('get configmap stray')).toContain('not found');
  });
});

describe('deleting a namespace', () => {
  it('removes what is in it', async () => {
    await namespace('gone');
    await kubectl.do('create -n gone -f -', { input: configMap('a') + pod('p') });
    await kubectl.do('create deployment d --image=nginx -n gone');
    expect(await kubectl('delete namespace gone')).toMatchInlineSnapshot(`"namespace "gone" deleted"`);
    const [self, content] = await Promise.all([
      kubectl('get namespace gone'),
      kubectl('get pods,configmaps,deployments,serviceaccounts -n gone'),
    ]);
    expect(self).toMatchInlineSnapshot(`
      "Error from server (NotFound): namespaces "gone" not found
      exit code 1"
    `);
    expect(content).toMatchInlineSnapshot(`"No resources found in gone namespace."`);
  });

  it('refuses new objects while it goes, and says what holds it', async () => {
    await namespace('going');
    await kubectl.do('create -n going -f -', { input: configMap('held', ', finalizers: [example.com/hold]') });
    const deletion = kubectl('delete namespace going');
    await kubectl.do('wait --for=condition=NamespaceFinalizersRemaining namespace/going --timeout=20s');
    const [table, refused, told] = await Promise.all([
      kubectl('get namespace going'),
      kubectl('create configmap late -n going'),
      kubectl('describe namespace going'),
    ]);
    expect(table).toMatchInlineSnapshot(`
      "NAME    STATUS        AGE
      going   Terminating   1s"
    `);
    expect(refused).toMatchInlineSnapshot(`
      "error: failed to create configmap: configmaps "late" is forbidden: unable to create new content in namespace going because it is being terminated
      exit code 1"
    `);
    expect(told).toMatchInlineSnapshot(`
      "Name:         going
      Labels:       kubernetes.io/metadata.name=going
      Annotations:  <none>
      Status:       Terminating
      Conditions:
        Type                                         Status  LastTransitionTime               Reason                Message
        ----                                         ------  ------------------               ------                -------
        NamespaceDeletionDiscoveryFailure            False   <time>  ResourcesDiscovered   All resources successfully discovered
        NamespaceDeletionGroupVersionParsingFailure  False   <time>  ParsedGroupVersions   All legacy kube types successfully parsed
        NamespaceDeletionContentFailure              False   <time>  ContentDeleted        All content successfully deleted, may be waiting on finalization
        NamespaceContentRemaining                    True    <time>  SomeResourcesRemain   Some resources are remaining: configmaps. has 1 resource instances
        NamespaceFinalizersRemaining                 True    <time>  SomeFinalizersRemain  Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances

      No resource quota.

      No LimitRange resource."
    `);
    await kubectl.do(`patch configmap held -n going --type=merge -p '{"metadata":{"finalizers":null}}'`);
    expect(await deletion).toMatchInlineSnapshot(`"namespace "going" deleted"`);
  });

  it('is refused for those that the system needs', async () => {
    expect(await kubectl('delete namespace kube-system')).toMatchInlineSnapshot(`
      "Error from server (Forbidden): namespaces "kube-system" is forbidden: this namespace may not be deleted
      exit code 1"
    `);
  });
});

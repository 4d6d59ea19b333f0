import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

beforeAll(async () => {
  await namespace('inside');
  await kubectl.do('run p -n inside --image=busybox');
});

describe('what goes into a pod says why it cannot', () => {
  it('logs, exec, attach and port-forward', async () => {
    const [logs, exec, attach, forward] = await Promise.all([
      kubectl('logs p -n inside'),
      kubectl('exec p -n inside -- ls'),
      kubectl('attach p -n inside'),
      kubectl('port-forward p 8080:80 -n inside'),
    ]);
    expect(logs).toMatchInlineSnapshot(`
      "Error from server (BadRequest): pod p does not have a host assigned
      exit code 1"
    `);
    expect(exec).toMatchInlineSnapshot(`
      "Error from server (MethodNotAllowed): exec is not available: pods in Vireo have no containers
      exit code 1"
    `);
    expect(attach).toContain('Error from server (MethodNotAllowed): attach is not available');
    expect(forward).toMatchInlineSnapshot(`
      "error: unable to forward port because pod is not running. Current status=Pending
      exit code 1"
    `);
  });

  it('top has no metrics of pods that nobody runs', async () => {
    expect(await kubectl('top pods')).toBe('No resources found in default namespace.');
  });

  it('needs its own rights', async () => {
    await kubectl.do('create role look -n inside --verb=get --resource=pods');
    await kubectl.do('create rolebinding look -n inside --role=look --user=jane');
    const [exec, logs] = await Promise.all([
      kubectl('exec p -n inside --as=jane -- ls'),
      kubectl('logs p -n inside --as=jane'),
    ]);
    expect(exec).toMatchInlineSnapshot(`
      "Error from server (Forbidden): pods "p" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "inside"
      exit code 1"
    `);
    expect(logs).toMatchInlineSnapshot(`
      "Error from server (Forbidden): pods "p" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "inside"
      exit code 1"
    `);
  });
});

describe('a pod that is there', () => {
  it('can be given another image and no other command', async () => {
    const [image, command] = [
      await kubectl('set image pod/p p=nginx -n inside'),
      await kubectl(`patch pod p -n inside -p '{"spec":{"containers":[{"name":"p","command":["true"]}]}}'`),
    ];
    expect(image).toMatchInlineSnapshot(`"pod/p image updated"`);
    expect(command.split('\n')[0]).toMatchInlineSnapshot(
      `"The Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than \`spec.containers[*].image\`,\`spec.initContainers[*].image\`,\`spec.activeDeadlineSeconds\`,\`spec.tolerations\` (only additions to existing tolerations),\`spec.terminationGracePeriodSeconds\` (allow it to be set to 1 if it was previously negative)"`,
    );
  });

  it('names every fault of a new one', async () => {
    const input = `
apiVersion: v1
kind: Pod
metadata: {name: faulty, namespace: inside}
spec:
  restartPolicy: Sometimes
  containers:
  - name: Not_Valid
    ports: [{containerPort: 70000}]
    resources: {requests: {cpu: 2}, limits: {cpu: 1}}
    volumeMounts: [{name: absent, mountPath: /data}]
`;
    expect(await kubectl('create -f -', { input })).toMatchInlineSnapshot(`
      "The Pod "faulty" is invalid: 
      * spec.containers[0].name: Invalid value: "Not_Valid": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
      * spec.containers[0].image: Required value
      * spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive
      * spec.containers[0].volumeMounts[0].name: Not found: "absent"
      * spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1
      * spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"
      exit code 1"
    `);
  });

  it('has the priority of its class', async () => {
    await kubectl.do('create priorityclass urgent --value=1000000');
    const input = (name: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: inside}
spec:
  priorityClassName: ${name}
  containers: [{name: main, image: busybox}]
`;
    await kubectl.do('create -f -', { input: input('urgent') });
    expect(await kubectl('get pod urgent -n inside -o jsonpath={.spec.priority}/{.spec.preemptionPolicy}')).toBe(
      '1000000/PreemptLowerPriority',
    );
    expect(await kubectl('create -f -', { input: input('unheard-of') })).toMatchInlineSnapshot(`
      "Error from server (Forbidden): error when creating "STDIN": pods "unheard-of" is forbidden: no PriorityClass with name unheard-of was found
      exit code 1"
    `);
  });
});

import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, vireo } = useCluster();

describe('kubectl api-resources', () => {
  it('lists every kind', async () => {
    expect(await kubectl('api-resources --sort-by=kind')).toMatchInlineSnapshot(`
      "NAME                                SHORTNAMES   APIVERSION                        NAMESPACED   KIND
      apiservices                                      apiregistration.k8s.io/v1         false        APIService
      csidrivers                                       storage.k8s.io/v1                 false        CSIDriver
      csinodes                                         storage.k8s.io/v1                 false        CSINode
      certificatesigningrequests          csr          certificates.k8s.io/v1            false        CertificateSigningRequest
      clusterroles                                     rbac.authorization.k8s.io/v1      false        ClusterRole
      clusterrolebindings                              rbac.authorization.k8s.io/v1      false        ClusterRoleBinding
      configmaps                          cm           v1                                true         ConfigMap
      controllerrevisions                              apps/v1                           true         ControllerRevision
      cronjobs                            cj           batch/v1                          true         CronJob
      customresourcedefinitions           crd,crds     apiextensions.k8s.io/v1           false        CustomResourceDefinition
      daemonsets                          ds           apps/v1                           true         DaemonSet
      deployments                         deploy       apps/v1                           true         Deployment
      deviceclasses                                    resource.k8s.io/v1                false        DeviceClass
      endpointslices                                   discovery.k8s.io/v1               true         EndpointSlice
      endpoints                           ep           v1                                true         Endpoints
      events                              ev           v1                                true         Event
      events                              ev           events.k8s.io/v1                  true         Event
      horizontalpodautoscalers            hpa          autoscaling/v2                    true         HorizontalPodAutoscaler
      ipaddresses                         ip           networking.k8s.io/v1              false        IPAddress
      ingresses                           ing          networking.k8s.io/v1              true         Ingress
      ingressclasses                                   networking.k8s.io/v1              false        IngressClass
      jobs                                             batch/v1                          true         Job
      leases                                           coordination.k8s.io/v1            true         Lease
      limitranges                         limits       v1                                true         LimitRange
      localsubjectaccessreviews                        authorization.k8s.io/v1           true         LocalSubjectAccessReview
      mutatingadmissionpolicies                        admissionregistration.k8s.io/v1   false        MutatingAdmissionPolicy
      mutatingadmissionpolicybindings                  admissionregistration.k8s.io/v1   false        MutatingAdmissionPolicyBinding
      mutatingwebhookconfigurations                    admissionregistration.k8s.io/v1   false        MutatingWebhookConfiguration
      namespaces                          ns           v1                                false        Namespace
      networkpolicies                     netpol       networking.k8s.io/v1              true         NetworkPolicy
      nodes                               no           v1                                false        Node
      nodes                                            metrics.k8s.io/v1beta1            false        NodeMetrics
      persistentvolumes                   pv           v1                                false        PersistentVolume
      persistentvolumeclaims              pvc          v1                                true         PersistentVolumeClaim
      pods                                po           v1                                true         Pod
      poddisruptionbudgets                pdb          policy/v1                         true         PodDisruptionBudget
      pods                                             metrics.k8s.io/v1beta1            true         PodMetrics
      podtemplates                                     v1                                true         PodTemplate
      priorityclasses                     pc           scheduling.k8s.io/v1              false        PriorityClass
      replicasets                         rs           apps/v1                           true         ReplicaSet
      replicationcontrollers              rc           v1                                true         ReplicationController
      resourceclaims                                   resource.k8s.io/v1                true         ResourceClaim
      resourceclaimtemplates                           resource.k8s.io/v1                true         ResourceClaimTemplate
      resourcequotas                      quota        v1                                true         ResourceQuota
      resourceslices                                   resource.k8s.io/v1                false        ResourceSlice
      roles                                            rbac.authorization.k8s.io/v1      true         Role
      rolebindings                                     rbac.authorization.k8s.io/v1      true         RoleBinding
      secrets                                          v1                                true         Secret
      selfsubjectaccessreviews                         authorization.k8s.io/v1           false        SelfSubjectAccessReview
      selfsubjectreviews                               authentication.k8s.io/v1          false        SelfSubjectReview
      selfsubjectrulesreviews                          authorization.k8s.io/v1           false        SelfSubjectRulesReview
      services                            svc          v1                                true         Service
      serviceaccounts                     sa           v1                                true         ServiceAccount
      servicecidrs                                     networking.k8s.io/v1              false        ServiceCIDR
      statefulsets                        sts          apps/v1                           true         StatefulSet
      storageclasses                      sc           storage.k8s.io/v1                 false        StorageClass
      subjectaccessreviews                             authorization.k8s.io/v1           false        SubjectAccessReview
      tokenreviews                                     authentication.k8s.io/v1          false        TokenReview
      validatingadmissionpolicies                      admissionregistration.k8s.io/v1   false        ValidatingAdmissionPolicy
      validatingadmissionpolicybindings                admissionregistration.k8s.io/v1   false        ValidatingAdmissionPolicyBinding
      validatingwebhookconfigurations                  admissionregistration.k8s.io/v1   false        ValidatingWebhookConfiguration
      volumeattachments                                storage.k8s.io/v1                 false        VolumeAttachment"
    `);
  });

  it('takes a group, a scope, verbs and categories', async () => {
    const [group, scope, verbs, categories] = await Promise.all([
      kubectl('api-resources --api-group=apps -o wide'),
      kubectl('api-resources --namespaced=false --api-group= -o name'),
      kubectl('api-resources --verbs=create --api-group=authorization.k8s.io -o wide'),
      kubectl('api-resources --categories=all -o name'),
    ]);
    expect(group).toMatchInlineSnapshot(`
      "NAME                  SHORTNAMES   APIVERSION   NAMESPACED   KIND                 VERBS                                                        CATEGORIES
      controllerrevisions                apps/v1      true         ControllerRevision   create,delete,deletecollection,get,list,patch,update,watch   
      daemonsets            ds           apps/v1      true         DaemonSet            create,delete,deletecollection,get,list,patch,update,watch   all
      deployments           deploy       apps/v1      true         Deployment           create,delete,deletecollection,get,list,patch,update,watch   all
      replicasets           rs           apps/v1      true         ReplicaSet           create,delete,deletecollection,get,list,patch,update,watch   all
      statefulsets          sts          apps/v1      true         StatefulSet          create,delete,deletecollection,get,list,patch,update,watch   all"
    `);
    expect(scope.split('\n').sort()).toEqual(['namespaces', 'nodes', 'persistentvolumes']);
    expect(verbs).toMatchInlineSnapshot(`
      "NAME                        SHORTNAMES   APIVERSION                NAMESPACED   KIND                       VERBS    CATEGORIES
      localsubjectaccessreviews                authorization.k8s.io/v1   true         LocalSubjectAccessReview   create   
      selfsubjectaccessreviews                 authorization.k8s.io/v1   false        SelfSubjectAccessReview    create   
      selfsubjectrulesreviews                  authorization.k8s.io/v1   false        SelfSubjectRulesReview     create   
      subjectaccessreviews                     authorization.k8s.io/v1   false        SubjectAccessReview        create"
    `);
    expect(categories).toMatchInlineSnapshot(`
      "pods
      replicationcontrollers
      services
      daemonsets.apps
      deployments.apps
      replicasets.apps
      statefulsets.apps
      horizontalpodautoscalers.autoscaling
      cronjobs.batch
      jobs.batch"
    `);
  });

  it('api-versions lists the groups', async () => {
    expect(await kubectl('api-versions')).toMatchInlineSnapshot(`
      "admissionregistration.k8s.io/v1
      apiextensions.k8s.io/v1
      apiregistration.k8s.io/v1
      apps/v1
      authentication.k8s.io/v1
      authorization.k8s.io/v1
      autoscaling/v1
      autoscaling/v2
      batch/v1
      certificates.k8s.io/v1
      coordination.k8s.io/v1
      discovery.k8s.io/v1
      events.k8s.io/v1
      metrics.k8s.io/v1beta1
      networking.k8s.io/v1
      policy/v1
      rbac.authorization.k8s.io/v1
      resource.k8s.io/v1
      scheduling.k8s.io/v1
      storage.k8s.io/v1
      v1"
    `);
  });
});

describe('kubectl explain', () => {
  it('tells what a kind and a field are', async () => {
    const [kind, field] = await Promise.all([
      kubectl('explain configmap'),
      kubectl('explain deployment.spec.strategy'),
    ]);
    expect(kind).toMatch(/^KIND: +ConfigMap\nVERSION: +v1\n\nDESCRIPTION:\n/);
    expect(kind).toContain('  data\t<map[string]string>\n');
    expect(kind).toContain('  immutable\t<boolean>\n');
    expect(kind).toContain('  metadata\t<ObjectMeta>\n');
    expect(field).toMatch(/^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nFIELD: strategy <DeploymentStrategy>\n/);
    expect(field).toContain('  rollingUpdate\t<RollingUpdateDeployment>\n');
  });

  it('shows the whole tree with --recursive', async () => {
    const tree = await kubectl('explain pod.spec.containers --recursive');
    expect(tree).toMatch(/FIELD: containers <\[\]Container>/);
    expect(tree).toContain(
      '\n  env\t<[]EnvVar>\n    name\t<string> -required-\n    value\t<string>\n    valueFrom\t<EnvVarSource>\n',
    );
    expect(tree).toContain('\n    requests\t<map[string]Quantity>');
  });

  it('says that a field or a kind does not exist', async () => {
    const [field, kind] = await Promise.all([kubectl('explain pod.spec.wheels'), kubectl('explain potato')]);
    expect(field).toContain('error: field "wheels" does not exist');
    expect(kind).toMatchInlineSnapshot(`
      "the server doesn't have a resource type "potato"
      exit code 1"
    `);
  });
});

describe('the server tells of itself', () => {
  it('version', async () => {
    const { serverVersion } = await kubectl.json<{ serverVersion: Record<string, string> }>('version -o json');
    expect(serverVersion.gitVersion).toMatch(/^v1\.\d+\.\d+\+vireo$/);
    expect(serverVersion.major).toBe('1');
  });

  it('cluster-info', async () => {
    // The colours are kubectl's own.
    const { stdout } = await kubectl.run('cluster-info');
    expect(stdout.replaceAll(/\x1b\[[\d;]*m/g, '')).toContain(
      `Kubernetes control plane is running at https://127.0.0.1:${vireo().port}\n`,
    );
  });

  it('get --raw', async () => {
    const [health, verbose, livez, versions, root, missing, list] = await Promise.all([
      kubectl('get --raw /healthz'),
      kubectl('get --raw /readyz?verbose'),
      kubectl('get --raw /livez'),
      kubectl('get --raw /api'),
      kubectl.json<{ paths: string[] }>('get --raw /'),
      kubectl('get --raw /nowhere'),
      kubectl.json<{ kind: string }>('get --raw /api/v1/namespaces/default/services'),
    ]);
    expect(health).toBe('ok');
    expect(verbose).toMatchInlineSnapshot(`
      "[+]ping ok
      [+]store ok
      [+]shutdown ok
      [+]bootstrap ok
      readyz check passed"
    `);
    expect(livez).toBe('ok');
    expect(JSON.parse(versions)).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [
        { clientCIDR: '0.0.0.0/0', serverAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
      ],
    });
    expect(root.paths).toEqual(
      expect.arrayContaining(['/api', '/apis/apps/v1', '/healthz', '/openapi/v3', '/version']),
    );
    expect(missing).toMatchInlineSnapshot(`
      "Error from server (NotFound): the server could not find the requested resource
      exit code 1"
    `);
    expect(list.kind).toBe('ServiceList');
  });

  it('get --raw /metrics', async () => {
    await kubectl.do('get namespaces');
    expect(await kubectl('get --raw /metrics')).toMatch(/^apiserver_request_total\{.*\} \d+$/m);
  });
});

describe('kubectl proxy', () => {
  it('hands plain HTTP on to the server', async () => {
    const proxy = kubectl.start('proxy --port=0');
    const address = /127\.0\.0\.1:\d+/.exec(await proxy.until('Starting to serve on'))?.[0];
    const answer = await fetch(`http://${address}/api/v1/namespaces/default`);
    expect(await answer.json()).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } });
    await proxy.stop();
  });
});

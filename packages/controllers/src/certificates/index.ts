import { CertificateSigningRequest, Node, type Persisted } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { isLive, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { VMIS_BY_NODE } from '../vmisByNode.ts';
import { subjectOf } from './decide.ts';
import { type CertificateContext, isDecided, readRequest, reconcileRequest } from './reconcile.ts';

/** The node whose certificate to serve with is asked for, while nobody has decided on it. */
function waitingNode(request: Persisted<CertificateSigningRequest>): string[] {
  const read = isDecided(request) ? undefined : readRequest(request);
  const subject = read && subjectOf(request.spec, read.parsed);
  return subject?.kind === 'serving' ? [subject.node] : [];
}

/** What a serving certificate depends on. */
const servingFacts = ({ status }: Node) => [status?.nodeInfo?.kubeletVersion, status?.addresses];

/** Approves the certificates of nodes and of the extension; requests of others are left alone. */
export async function startCertificateApprover(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const requests = informers.for(CertificateSigningRequest, { indexes: { waitingNode } });
  const nodes = informers.for(Node);
  const vmis = informers.for(Vmi, { indexes: VMIS_BY_NODE });
  const waitingFor = ({ metadata }: Persisted<Node>) => requests.byIndex('waitingNode', metadata.name).map(keyOf);
  const parts: CertificateContext = {
    client,
    vmisOn: (node) => vmis.byIndex('node', node).filter(isLive).map(keyOf),
  };
  await runController(
    {
      name: 'certificates',
      for: requests,
      watches: [
        watch(nodes, {
          added: waitingFor,
          updated: (old, node) => (deepEqual(servingFacts(old), servingFacts(node)) ? [] : waitingFor(node)),
        }),
      ],
      reads: [vmis],
      reconcile: async (key) => {
        const request = requests.get(key);
        if (request) await reconcileRequest(request, parts);
      },
    },
    context,
    signal,
  );
}

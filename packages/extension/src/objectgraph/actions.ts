import { ObjectGraphNode, ObjectGraphOptions } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import { poolAction, replicaSetAction, vmAction, vmiAction } from '../actions/action.ts';
import { graphOfPool, graphOfReplicaSet, graphOfVm, graphOfVmi } from './graph.ts';
import { graphResponse } from './response.ts';

const shared = {
  name: 'objectgraph',
  method: 'GET',
  minimumRole: 'view',
  gate: 'ObjectGraph',
  body: ObjectGraphOptions,
  response: { status: 200, schema: ObjectGraphNode },
} as const;

export const objectGraphOfVm = vmAction<ObjectGraphOptions>({
  ...shared,
  summary:
    'Returns the objects that the VM depends on. `format` and `output` set the form, `kinds` and `depth` limit the contents, and `strict` fails if an object is missing.',
  decide: ({ vm, vmi }, { body, query }) => ({
    type: 'respond',
    respond: graphResponse(body, query, (lookup) => graphOfVm(vm, vmi, lookup)),
  }),
});

export const objectGraphOfVmi = vmiAction<ObjectGraphOptions>({
  ...shared,
  summary: 'Returns the objects that the VMI depends on, with the same options.',
  decide: ({ vmi }, { body, query }) => ({
    type: 'respond',
    respond: graphResponse(body, query, (lookup) => graphOfVmi(vmi, lookup)),
  }),
});

export const objectGraphOfReplicaSet = replicaSetAction<ObjectGraphOptions>({
  ...shared,
  summary: "Returns the replica set's VMIs and the objects that its template depends on, with the same options.",
  decide: ({ object }, { body, query }) => ({
    type: 'respond',
    respond: graphResponse(body, query, (lookup) => graphOfReplicaSet(object, lookup)),
  }),
});

export const objectGraphOfPool = poolAction<ObjectGraphOptions>({
  ...shared,
  summary: "Returns the pool's VMs and the objects that its template and they depend on, with the same options.",
  decide: ({ object }, { body, query }) => ({
    type: 'respond',
    respond: graphResponse(body, query, (lookup) => graphOfPool(object, lookup)),
  }),
});

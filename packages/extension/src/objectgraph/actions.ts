import { ObjectGraphNode, ObjectGraphOptions } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import { replicaSetAction, vmAction, vmiAction } from '../actions/action.ts';
import { graphAnswer } from './answer.ts';
import { graphOfInstance, graphOfReplicaSet, graphOfVm } from './graph.ts';

const shared = {
  name: 'objectgraph',
  method: 'GET',
  minimumRole: 'view',
  gate: 'ObjectGraph',
  body: ObjectGraphOptions,
  answer: { status: 200, schema: ObjectGraphNode },
} as const;

export const objectGraphOfVm = vmAction<ObjectGraphOptions>({
  ...shared,
  summary:
    'What the machine depends on; `format`, `kinds`, `depth` and `output` say in which form and how much of it, `strict` that it must be all there.',
  decide: ({ vm, vmi }, { body, query }) => ({
    type: 'answer',
    answer: graphAnswer(body, query, (lookup) => graphOfVm(vm, vmi, lookup)),
  }),
});

export const objectGraphOfVmi = vmiAction<ObjectGraphOptions>({
  ...shared,
  summary: 'What the instance depends on, with the same options.',
  decide: ({ vmi }, { body, query }) => ({
    type: 'answer',
    answer: graphAnswer(body, query, (lookup) => graphOfInstance(vmi, lookup)),
  }),
});

export const objectGraphOfReplicaSet = replicaSetAction<ObjectGraphOptions>({
  ...shared,
  summary: 'What the template of the replica set depends on, and its instances, with the same options.',
  decide: ({ object }, { body, query }) => ({
    type: 'answer',
    answer: graphAnswer(body, query, (lookup) => graphOfReplicaSet(object, lookup)),
  }),
});

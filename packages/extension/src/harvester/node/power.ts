import { ApiError, field, type Infer, type Node, type Persisted } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { string, struct } from '@vireo/api/schema.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';

const PowerActionInput = struct('io.harvesterhci.v1beta1.PowerActionInput', 'What to do with the host.', {
  operation: required(string, 'shutdown, poweron or reboot.'),
});
const OPERATIONS = ['shutdown', 'poweron', 'reboot'];
interface PowerActionInput extends Infer<typeof PowerActionInput> {}

export const powerActionPossible = harvesterAction('nodes')({
  name: 'powerActionPossible',
  method: 'GET',
  minimumRole: 'nodes',
  summary: 'Answers 424: there is no way to the power switch of a host.',
  refuses: [424],
  offered: () => true,
  decide({ object }) {
    throw noSwitch(object);
  },
});

export const powerAction = harvesterAction('nodes')<PowerActionInput>({
  name: 'powerAction',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Answers 424: there is no way to the power switch of a host.',
  refuses: [424],
  body: PowerActionInput,
  offered: () => false,
  decide({ object }, { body }) {
    if (!OPERATIONS.includes(body.operation)) {
      const error = field.notSupported('operation', [body.operation], OPERATIONS);
      throw invalidField(error, { kind: 'PowerActionInput' });
    }
    throw noSwitch(object);
  },
});

const FAILED_DEPENDENCY = 424;

const noSwitch = ({ metadata: { name } }: Persisted<Node>): ApiError =>
  new ApiError(
    undefined,
    `the power of node "${name}" cannot be switched from here: Vireo knows of no baseboard management controller ` +
      '(BMC) of it, and has no seeder add-on. Shut the host down, or start it, by its own means',
    { name, kind: 'nodes' },
    FAILED_DEPENDENCY,
  );

import { ApiError, field, type Infer, type Node, type Persisted } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { string, struct } from '@vireo/api/schema.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';

const PowerActionInput = struct('io.harvesterhci.v1beta1.PowerActionInput', 'Power operation on the host.', {
  operation: required(string, 'shutdown, poweron or reboot.'),
});
const OPERATIONS = ['shutdown', 'poweron', 'reboot'];
interface PowerActionInput extends Infer<typeof PowerActionInput> {}

export const powerActionPossible = harvesterAction('nodes')({
  name: 'powerActionPossible',
  method: 'GET',
  minimumRole: 'nodes',
  summary: 'Fails with 424: Vireo does not manage BMCs.',
  refuses: [424],
  isListed: () => true,
  decide({ object }) {
    throw noSwitch(object);
  },
});

export const powerAction = harvesterAction('nodes')<PowerActionInput>({
  name: 'powerAction',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Fails with 424: Vireo does not manage BMCs.',
  refuses: [424],
  body: PowerActionInput,
  isListed: () => false,
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
    `Vireo cannot control the power of node "${name}", because it does not manage baseboard management controllers ` +
      '(BMCs) and has no seeder add-on. Shut down or start the host directly',
    { name, kind: 'nodes' },
    FAILED_DEPENDENCY,
  );

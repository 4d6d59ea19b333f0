import { useHas } from '../session.tsx';

const GROUP = 'subresources.harvesterhci.io';
export const ACTIONS_PATH = `/apis/${GROUP}/v1beta1`;

/** Whether the server has Harvester's maintenance of nodes; undefined until it has answered. */
export const useHasMaintenance = (): boolean | undefined =>
  useHas()({ group: GROUP, version: 'v1beta1', resource: 'nodes/enableMaintenanceMode' });

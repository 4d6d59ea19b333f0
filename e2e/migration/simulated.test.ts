import { evacuationSpecs } from './cases/evacuation.ts';
import { evictionStrategySpecs } from './cases/evictionStrategy.ts';
import { liveUpdateSpecs } from './cases/liveUpdate.ts';
import { migrationSpecs } from './cases/migration.ts';
import { nodeSelectorSpecs } from './cases/nodeSelector.ts';
import { prioritySpecs } from './cases/priority.ts';
import { useSimulatedNodes } from './simulated.ts';

const { specs, nodes } = useSimulatedNodes();

prioritySpecs(specs);
nodeSelectorSpecs(specs, nodes);
evacuationSpecs(specs);
evictionStrategySpecs(specs, nodes);
migrationSpecs(specs, nodes);
liveUpdateSpecs(specs);

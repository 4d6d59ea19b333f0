import type { EndpointSlice, Endpoints } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';

type Destination = Partial<Pick<Endpoints, 'subsets'> & Pick<EndpointSlice, 'endpoints' | 'ports'>> & {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
};

/** Whether somebody has changed where Endpoints or a slice lead, or the labels by which they are found. */
export const leadsElsewhere = (found: Destination, wanted: Destination): boolean =>
  !(['subsets', 'endpoints', 'ports'] as const).every((field) => deepEqual(found[field], wanted[field])) ||
  Object.entries(wanted.metadata.labels ?? {}).some(([name, value]) => found.metadata.labels?.[name] !== value);

/** The same object with what it should have; what others have added to its metadata stays. */
export const leadingHere = <T extends Destination>(found: T, wanted: Destination): T => ({
  ...found,
  ...wanted,
  metadata: { ...found.metadata, labels: { ...found.metadata.labels, ...wanted.metadata.labels } },
});

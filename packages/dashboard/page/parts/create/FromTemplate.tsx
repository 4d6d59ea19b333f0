import { useState } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { type Objects, vmNamespace } from '../../decisions/create/objects.ts';
import {
  type HarvesterTemplate,
  harvesterTemplate,
  type KubeVirtTemplate,
  kubeVirtTemplate,
} from '../../decisions/create/templates.ts';
import type { Served } from '../../decisions/features.ts';
import { Choice } from './Field.tsx';
import { fullName, useIsOffered, useOffered } from './offers.ts';
import { TemplateParameters } from './TemplateParameters.tsx';
import { TemplateVersions } from './TemplateVersions.tsx';

const HARVESTER: Served = { group: 'harvesterhci.io', version: 'v1beta1', resource: 'virtualmachinetemplates' };
const KUBEVIRT: Served = { group: 'template.kubevirt.io', version: 'v1beta1', resource: 'virtualmachinetemplates' };

export interface TemplateProps {
  readonly objects: Objects;
  readonly load: (objects: Objects) => void;
}

/** Begins with the settings of a template, Harvester's or KubeVirt's, where the server has them. */
export function FromTemplate(props: TemplateProps) {
  const namespace = vmNamespace(props.objects);
  const hasHarvester = useIsOffered(HARVESTER, namespace);
  const hasKubeVirt = useIsOffered(KUBEVIRT, namespace);
  const [isOpen, setOpen] = useState(false);
  if (!hasHarvester && !hasKubeVirt) return null;
  return (
    <details className="from-another" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>From a template</summary>
      {isOpen && <Picker {...props} kinds={{ hasHarvester, hasKubeVirt }} />}
    </details>
  );
}

interface PickerProps extends TemplateProps {
  readonly kinds: { readonly hasHarvester: boolean; readonly hasKubeVirt: boolean };
}

/** Lists templates only when somebody wants one. */
function Picker({ objects, load, kinds: { hasHarvester, hasKubeVirt } }: PickerProps) {
  const namespace = vmNamespace(objects);
  const [chosen, setChosen] = useState('');
  const harvesters = useOffered<HarvesterTemplate>(
    HARVESTER.group,
    HARVESTER.version,
    HARVESTER.resource,
    namespace,
    harvesterTemplate,
    hasHarvester,
  );
  const kubeVirts = useOffered<KubeVirtTemplate>(
    KUBEVIRT.group,
    KUBEVIRT.version,
    KUBEVIRT.resource,
    namespace,
    kubeVirtTemplate,
    hasKubeVirt,
  );
  if (harvesters.length + kubeVirts.length === 0) return <p className="field-hint">There are no templates.</p>;
  const isBoth = harvesters.length > 0 && kubeVirts.length > 0;
  const harvester = harvesters.find((each) => chosen === `harvester ${fullName(each)}`);
  const kubeVirt = kubeVirts.find((each) => chosen === `kubevirt ${fullName(each)}`);
  return (
    <>
      <Choice
        label="Template"
        value={chosen}
        onChange={setChosen}
        options={[
          ...harvesters.map(
            (each) =>
              [
                `harvester ${fullName(each)}`,
                titleOf(each, isBoth ? ' (Harvester)' : '', each.spec?.description),
              ] as const,
          ),
          ...kubeVirts.map(
            (each) => [`kubevirt ${fullName(each)}`, titleOf(each, isBoth ? ' (KubeVirt)' : '')] as const,
          ),
        ]}
        hint="Its settings replace what the form has."
      />
      {harvester && <TemplateVersions key={chosen} {...{ template: harvester, objects, load }} />}
      {kubeVirt && <TemplateParameters key={chosen} {...{ template: kubeVirt, objects, load }} />}
    </>
  );
}

const titleOf = (template: KubeObject, kind: string, description = ''): string =>
  `${fullName(template)}${kind}${description && `: ${description}`}`;

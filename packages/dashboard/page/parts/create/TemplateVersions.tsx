import { useState } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { fromVersion } from '../../decisions/create/copy.ts';
import { vmName, vmNamespace } from '../../decisions/create/objects.ts';
import {
  type HarvesterTemplate,
  type TemplateVersion,
  templateVersion,
  versionsOf,
} from '../../decisions/create/templates.ts';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';
import { Choice } from './Field.tsx';
import type { TemplateProps } from './FromTemplate.tsx';
import { fullName, splitName, useOffered } from './offers.ts';

const API = 'harvesterhci.io/v1beta1';
const RESOURCE = 'virtualmachinetemplateversions';

/** The versions of a template of Harvester, of which one is used. */
export function TemplateVersions({
  template,
  objects,
  load,
}: TemplateProps & { readonly template: HarvesterTemplate }) {
  const { api } = useSession().session;
  const notify = useNotify();
  const { namespace: home = '' } = template.metadata;
  const all = useOffered<TemplateVersion>('harvesterhci.io', 'v1beta1', RESOURCE, home, templateVersion);
  const versions = versionsOf(template, all);
  const [chosen, setChosen] = useState('');
  const id = chosen || versions[0]?.[0] || '';
  const use = async (): Promise<void> => {
    const { namespace, name } = splitName(id, home);
    const path = `/apis/${API}/namespaces/${encodeURIComponent(namespace)}/${RESOURCE}/${encodeURIComponent(name)}`;
    try {
      load(fromVersion(await api.request<KubeObject>('GET', path), vmName(objects), vmNamespace(objects)));
      notify(`The form has the settings of ${id}.`);
    } catch (error) {
      notify(`${id} cannot be used: ${error instanceof Error ? error.message : error}`, { isError: true });
    }
  };
  if (versions.length === 0) return <p className="field-hint">{fullName(template)} has no version that you can see.</p>;
  return (
    <div className="device">
      <Choice label="Version" value={id} onChange={setChosen} options={versions} />
      <button type="button" onClick={() => void use()}>
        Use its settings
      </button>
    </div>
  );
}

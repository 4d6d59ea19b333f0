import { useState } from 'react';
import { moveVm, vmNamespace } from '../../decisions/create/objects.ts';
import { givenParameters, type KubeVirtTemplate, missingParameters } from '../../decisions/create/templates.ts';
import { offerOf } from '../../decisions/offers.ts';
import { editable } from '../../decisions/yaml/editable.ts';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useSession } from '../session.tsx';
import { TextField } from './Field.tsx';
import type { TemplateProps } from './FromTemplate.tsx';
import { fullName } from './offers.ts';

const GROUP = 'subresources.template.kubevirt.io';
const PROCESS = { verb: 'create', group: GROUP, resource: 'virtualmachinetemplates', subresource: 'process' };

interface Processed {
  readonly virtualMachine?: unknown;
  readonly message?: string;
}

/** The parameters of a template of KubeVirt, with which the server makes a machine of it. */
export function TemplateParameters({
  template,
  objects,
  load,
}: TemplateProps & { readonly template: KubeVirtTemplate }) {
  const { api } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const { name, namespace = '' } = template.metadata;
  const parameters = template.spec?.parameters ?? [];
  const missing = missingParameters(parameters, typed);
  const obstacle = missing.length > 0 ? `These parameters need a value: ${missing.join(', ')}.` : undefined;
  const use = async (): Promise<void> => {
    const path = `/apis/${GROUP}/v1beta1/namespaces/${encodeURIComponent(namespace)}/virtualmachinetemplates/${encodeURIComponent(name)}/process`;
    try {
      const { virtualMachine, message } = await api.request<Processed>('POST', path, {
        parameters: givenParameters(typed),
      });
      load(moveVm({ vm: editable(virtualMachine) }, vmNamespace(objects)));
      notify(message || `The form has the settings of ${fullName(template)}.`);
    } catch (error) {
      notify(`${fullName(template)} cannot be used: ${error instanceof Error ? error.message : error}`, {
        isError: true,
      });
    }
  };
  return (
    <div className="template-parameters">
      {parameters.map((parameter) => (
        <TextField
          key={parameter.name}
          label={parameter.displayName || parameter.name}
          value={typed[parameter.name] ?? ''}
          onChange={(value) => setTyped({ ...typed, [parameter.name]: value })}
          placeholder={parameter.value || (parameter.generate ? 'generated' : '')}
          hint={parameter.description}
          isRequired={Boolean(parameter.required && !parameter.value && !parameter.generate)}
        />
      ))}
      <div className="actions">
        <OfferButton offer={offerOf(may, PROCESS, namespace, obstacle)} onClick={() => void use()}>
          Use its settings
        </OfferButton>
      </div>
    </div>
  );
}

import { isObject } from '@vireo/api/json.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { Failure } from '../../../failure.ts';
import { print, readObject, requireFormat } from './files.ts';

/** Prints a Template of OpenShift as one of KubeVirt. */
export async function convertCommand({ file, output }: { file: string; output: string }): Promise<void> {
  requireFormat(output);
  print(converted(readObject(file, 'Template')), output);
}

const KEPT = ['name', 'namespace', 'labels', 'annotations'];
const PARAMETER = ['name', 'displayName', 'description', 'value', 'generate', 'from', 'required'];

const pick = (object: unknown, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(isObject(object) ? object : {}).filter(([name]) => fields.includes(name)));

/** The same template in KubeVirt's kind, which holds one VM. */
export function converted(template: Record<string, unknown>): Record<string, unknown> {
  const { metadata, message, parameters, objects } = template;
  const found = Array.isArray(objects) ? objects : [];
  if (found.length !== 1) throw new Failure(`template must contain exactly one object, found ${found.length}`);
  const { group, version, kind } = VirtualMachineTemplate;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: pick(metadata, KEPT),
    spec: {
      ...(typeof message === 'string' && { message }),
      ...(Array.isArray(parameters) &&
        parameters.length > 0 && { parameters: parameters.map((each) => pick(each, PARAMETER)) }),
      virtualMachine: found[0],
    },
  };
}

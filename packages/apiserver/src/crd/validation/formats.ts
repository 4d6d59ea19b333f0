import type { CustomResourceDefinition } from '@vireo/api';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { isStringFormat } from '../../schema/formats.ts';
import { anySchema } from './tolerance.ts';

/** The formats in the schemas of a definition that nobody checks, each once. */
export function unrecognizedFormats(definition: CustomResourceDefinition | undefined): Set<string> {
  const found = new Set<string>();
  for (const { schema } of definition?.spec?.versions ?? []) {
    if (!schema?.openAPIV3Schema) continue;
    anySchema(schema.openAPIV3Schema, (each) => {
      if (each.format && !isRecognized(each)) found.add(each.format);
      return false;
    });
  }
  return found;
}

function isRecognized({ type, format = '' }: JSONSchemaProps): boolean {
  if (!type || type === 'string') return isStringFormat(format);
  if (type === 'integer') return format === 'int32' || format === 'int64';
  return type === 'number' && (format === 'float' || format === 'double');
}

import { type CustomResourceConversion, type FieldError, field } from '@vireo/api';
import { validateClientConfig, validateReviewVersions } from '../../strategies/extension/webhookClient.ts';
import { oneOf } from '../../strategies/fields.ts';
import { caBundleError } from './caBundle.ts';

const ONLY_FOR_WEBHOOKS = 'should not be set when strategy is not set to Webhook';

/** What an update may leave as it was. */
interface ConversionOptions {
  /** The conversion before; undefined for a new definition. */
  readonly old: CustomResourceConversion | undefined;
  readonly isEstablished: boolean;
}

/** What is wrong with how objects are converted. Fields have the names of an older version here, as in the original. */
export function conversionErrors(
  conversion: CustomResourceConversion | undefined,
  path: string,
  { old, isEstablished }: ConversionOptions,
): FieldError[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  const { clientConfig, conversionReviewVersions: versions = [] } = webhook ?? {};
  const [client, versionsAt] = [`${path}.webhookClientConfig`, `${path}.conversionReviewVersions`];
  const errors = oneOf(`${path}.strategy`, strategy, ['None', 'Webhook'], 'required');
  if (strategy !== 'Webhook') {
    if (clientConfig) errors.push(field.forbidden(client, ONLY_FOR_WEBHOOKS));
    if (versions.length > 0) errors.push(field.forbidden(versionsAt, ONLY_FOR_WEBHOOKS));
    return errors;
  }
  if (clientConfig) {
    errors.push(...validateClientConfig(clientConfig, client));
    // A kind that nobody uses yet may get its certificates later.
    if (isEstablished) errors.push(...caBundleErrors(clientConfig.caBundle, `${client}.caBundle`, old));
  } else {
    errors.push(field.required(client, 'required when strategy is set to Webhook'));
  }
  const before = old?.webhook?.conversionReviewVersions;
  return [...errors, ...validateReviewVersions(versions, versionsAt, undefined, before)];
}

function caBundleErrors(caBundle: string | undefined, path: string, old: CustomResourceConversion | undefined) {
  const before = old?.webhook?.clientConfig?.caBundle;
  const mayBeBad = before && caBundleError(before) !== undefined;
  const why = caBundle && !mayBeBad ? caBundleError(caBundle) : undefined;
  return why === undefined ? [] : [field.invalid(path, caBundle, why)];
}

import type { FieldError } from '@vireo/api';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { when } from './rule.ts';

/** Inline data lives in the object; what is larger belongs in a secret. */
const MAX_BYTES = 2048;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function cloudInit(volume: Volume, field: string): FieldError[] {
  const kind = volume.cloudInitNoCloud ? 'cloudInitNoCloud' : 'cloudInitConfigDrive';
  const data = volume[kind];
  if (!data) return [];
  const at = `${field}.${kind}`;
  const user = [data.userData, data.userDataBase64, data.secretRef?.name].filter(Boolean).length;
  const network = [data.networkData, data.networkDataBase64, data.networkDataSecretRef?.name].filter(Boolean).length;
  return [
    ...notBase64(data.userDataBase64, `${at}.userDataBase64`),
    ...when(user > 1, at, `${at} must have only one userdatasource set.`),
    ...when(
      bytes(data.userData, data.userDataBase64) > MAX_BYTES,
      at,
      `${at} userdata exceeds ${MAX_BYTES} byte limit. Should use UserDataSecretRef for larger data.`,
    ),
    ...notBase64(data.networkDataBase64, `${at}.networkDataBase64`),
    ...when(network > 1, at, `${at} must have only one networkdata source set.`),
    ...when(
      bytes(data.networkData, data.networkDataBase64) > MAX_BYTES,
      at,
      `${at} networkdata exceeds ${MAX_BYTES} byte limit. Should use NetworkDataSecretRef for larger data.`,
    ),
    ...when(!user && !network, at, `${at} must have at least one userdatasource or one networkdatasource set.`),
  ];
}

const notBase64 = (text: string | undefined, field: string): FieldError[] =>
  when(text && !BASE64.test(text), field, `${field} is not a valid base64 value.`);

const bytes = (plain: string | undefined, encoded: string | undefined): number =>
  plain ? Buffer.byteLength(plain) : Buffer.byteLength(encoded ?? '', 'base64');

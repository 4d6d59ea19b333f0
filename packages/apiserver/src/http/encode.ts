import { asJson, type Encode, type ObjectResponse } from '@vireo/kube';
import { stringify } from 'yaml';
import { encodingFor } from '../accept.ts';
import { PROTOBUF_TYPE, YAML_TYPE } from '../decode/body.ts';
import { protobufResponse } from '../protobuf/bodies.ts';

/** Answers as the client wants them: JSON, YAML or protobuf. */
export const encode: Encode = (response, accept) => {
  if (response.type === 'bytes') return asJson(response, accept);
  const encoding = response.protobuf ? 'protobuf' : encodingFor(accept);
  if (encoding === 'yaml') return [YAML_TYPE, Buffer.from(stringify(plainValue(response)))];
  const protobuf = encoding === 'protobuf' && protobufResponse(response.object());
  return protobuf ? [PROTOBUF_TYPE, protobuf] : asJson(response, accept);
};

/** What the bytes say, which leave out of lists what in-process clients find in the objects. */
const plainValue = ({ bytes, object }: ObjectResponse): unknown => (bytes ? JSON.parse(bytes().toString()) : object());

/** Which kinds travel as protobuf: the built-in ones, their lists, and what goes with them. Custom resources never do. */
import { bodyKinds, builtinKinds, groupVersion, type Schema, sharedKinds } from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import { ListMeta, ObjectMeta } from '@vireo/api/meta.ts';
import { listSchema } from '@vireo/api/openapi.ts';
import { list, req, struct } from '@vireo/api/schema.ts';
import { encodeProtobuf } from './encode.ts';
import { WireWriter } from './wire.ts';

const schemas = new Map<string, Schema>(
  [...builtinKinds, ...bodyKinds].map(({ group, version, kind, schema }) => [
    `${groupVersion(group, version)} ${kind}`,
    schema as Schema,
  ]),
);

const shared = new Map<string, Schema>(sharedKinds.map(({ kind, schema }) => [kind, schema as Schema]));

/** The schema of a kind that may be sent as protobuf. Options and the like are known in every group and version. */
export const bodySchema = (apiVersion: string, kind: string): Schema | undefined =>
  schemas.get(`${apiVersion} ${kind}`) ?? shared.get(kind);

const Partial = struct('PartialObjectMetadata', '', { metadata: req(1, ObjectMeta) });
const answers = new Map<string, Schema>([
  ...schemas,
  ...builtinKinds.map((kind): [string, Schema] => [
    `${groupVersion(kind.group, kind.version)} ${kind.listKind}`,
    listSchema(kind),
  ]),
  ['meta.k8s.io/v1 PartialObjectMetadata', Partial],
  [
    'meta.k8s.io/v1 PartialObjectMetadataList',
    struct('PartialObjectMetadataList', '', { metadata: req(1, ListMeta), items: req(2, list(Partial)) }),
  ],
]);

/** A response as protobuf; undefined for what has no such form. */
export function protobufResponse(object: unknown): Buffer | undefined {
  if (!isObject(object)) return undefined;
  const schema = answers.get(`${String(object.apiVersion ?? 'v1')} ${String(object.kind)}`);
  return schema && encodeProtobuf(object, schema);
}

/** One event of a watch: its length in four bytes, then the event, which carries the object's whole body. */
export function protobufFrame(type: string, object: JsonObject): Buffer {
  const raw = new WireWriter();
  raw.bytes(1, protobufResponse(object) ?? Buffer.alloc(0));
  const event = new WireWriter();
  event.string(1, type);
  event.bytes(2, raw.finish());
  const bytes = event.finish();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

import { objectResponse } from '@vireo/kube';
import { checkOpenApiAcceptable } from '../accept.ts';
import type { PathRoutes } from '../paths.ts';
import { WireWriter } from '../protobuf/wire.ts';
import { VERSION } from '../version.ts';

const INFO = { title: 'Kubernetes', version: VERSION.gitVersion };

/**
 * `/openapi/v2`: a document that describes no kinds. kubectl asks for it, in protobuf only, where version 3 has no
 * answer: for a `List`, and for a kind that it does not find. Without it those commands end with an error; a kind that
 * is missing from it is checked by the server alone, which it does anyway.
 */
export function addOpenApiV2(routes: PathRoutes): void {
  routes.add('/openapi/v2', ({ headers }) => {
    checkOpenApiAcceptable(headers.accept);
    return headers.accept?.includes('protobuf')
      ? {
          type: 'bytes',
          status: 200,
          contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
          bytes: protobufDocument(),
        }
      : objectResponse({ swagger: '2.0', info: INFO, paths: {}, definitions: {} });
  });
}

/** `openapi.v2.Document` of gnostic, with its fields `swagger`, `info` and `paths`. */
function protobufDocument(): Buffer {
  const info = new WireWriter();
  info.string(1, INFO.title);
  info.string(2, INFO.version);
  const document = new WireWriter();
  document.string(1, '2.0');
  document.bytes(2, info.finish());
  document.bytes(8, Buffer.alloc(0));
  return document.finish();
}

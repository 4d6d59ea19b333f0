import { AwsV4Signer } from 'aws4fetch';

/** Who asks, of which region. */
export interface S3Identity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** A request that is to be signed. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Of the body, in hex. Default: the body is not signed, or there is none. */
  readonly bodySha256?: string;
}

/** The headers that prove to an S3 server who asks. They are good for this request, for a few minutes. */
export async function signedHeaders(
  { method, url, bodySha256 = 'UNSIGNED-PAYLOAD' }: UnsignedRequest,
  { accessKeyId, secretAccessKey, region }: S3Identity,
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { 'x-amz-content-sha256': bodySha256 },
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
  });
  return Object.fromEntries((await signer.sign()).headers);
}

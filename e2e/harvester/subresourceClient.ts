import { createConfiguration, HttpMethod, type KubeConfig, ServerConfiguration } from '@kubernetes/client-node';

/** What a call to a subresource names, as client-go's REST client takes it. */
export interface Subresource {
  readonly namespace?: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
}

/** A REST client of one group-version on the machinery of @kubernetes/client-node. */
export function subresourceClient(config: KubeConfig, groupVersion: string) {
  const server = config.getCurrentCluster()?.server ?? '';
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(server, {}),
    authMethods: { default: config },
  });
  const send = async (method: HttpMethod, { namespace, resource, name, subresource }: Subresource) => {
    const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const path = `/apis/${groupVersion}${scope}/${resource}/${name}/${subresource}`;
    const request = configuration.baseServer.makeRequestContext(path, method);
    await configuration.authMethods.default?.applySecurityAuthentication(request);
    const response = await configuration.httpApi.send(request).toPromise();
    return { status: response.httpStatusCode, body: await response.body.text() };
  };
  return {
    post: (to: Subresource) => send(HttpMethod.POST, to),
    put: (to: Subresource) => send(HttpMethod.PUT, to),
    get: (to: Subresource) => send(HttpMethod.GET, to),
  };
}

import type { Endpoint, Flows, ServicePort } from '@vireo/network';

/** Where datagrams that come to a Service are led: what they are sent to, and one of its endpoints. */
export type Flow = Required<Flows>;

/** All that a port of a Service leads. Connections end by themselves where an endpoint goes: only datagrams count. */
export function flowsOf({ protocol, port, internal, external, nodePort, ...service }: ServicePort): Flow[] {
  if (protocol !== 'udp') return [];
  const { endpoints, externalEndpoints = endpoints } = service;
  const lead = (at: Flow['at'], to: readonly Endpoint[]): Flow[] => to.map((endpoint) => ({ endpoint, protocol, at }));
  return [
    ...internal.flatMap((address) => lead({ address, port }, endpoints)),
    ...external.flatMap((address) => lead({ address, port }, externalEndpoints)),
    ...(nodePort === undefined ? [] : lead({ port: nodePort }, externalEndpoints)),
  ];
}

/** The flows that a change has ended. Those of an endpoint that nothing leads to any more are one. */
export function endedFlows(before: readonly Flow[], after: readonly Flow[]): Flows[] {
  const left = new Set(after.map(flowText));
  const endpoints = new Set(after.map(endpointText));
  const ended = before.filter((flow) => !left.has(flowText(flow)));
  const gone = new Map(
    ended.filter((flow) => !endpoints.has(endpointText(flow))).map((flow) => [endpointText(flow), flow]),
  );
  return [
    ...[...gone.values()].map(({ endpoint, protocol }) => ({ endpoint, protocol })),
    ...ended.filter((flow) => !gone.has(endpointText(flow))),
  ];
}

const endpointText = ({ endpoint: { address, port } }: Flow): string => `${address} ${port}`;
const flowText = (flow: Flow): string => `${flow.at.address} ${flow.at.port} ${endpointText(flow)}`;

import type { ApiServer } from '../apiServer.ts';
import { metricsApi } from './api.ts';
import { METRICS_SERVICE } from './apiService.ts';
import { Collector, type CollectorOptions, type ReadNode } from './collector.ts';

/** Serves metrics.k8s.io in process, from what the nodes of this server tell. */
export function addMetricsServer(server: ApiServer, options: Omit<CollectorOptions, 'nodes'>): void {
  const nodes = function* (): Iterable<readonly [string, ReadNode]> {
    for (const [name, node] of server.nodes) if (node.resourceMetrics) yield [name, node.resourceMetrics.bind(node)];
    for (const [name, node] of server.remoteNodes.ready())
      if (node.resourceMetrics && !server.nodes.has(name)) yield [name, node.resourceMetrics.bind(node)];
  };
  const collector = new Collector({ ...options, nodes });
  server.services.register(METRICS_SERVICE.namespace, METRICS_SERVICE.name, metricsApi(collector, server.core.lookup));
}

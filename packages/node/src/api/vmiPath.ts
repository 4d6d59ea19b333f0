const VMI_PATH = /^\/v1\/namespaces\/([^/]+)\/virtualmachineinstances\/([^/]+)\/(.+)$/;

/** The VMI that a path names, and what is asked of it, such as `pause` or `portforward/22`; empty for other paths. */
export function parseVmiPath(pathname: string): { namespace: string; name: string; verb: string } {
  const [, namespace = '', name = '', verb = ''] = VMI_PATH.exec(pathname) ?? [];
  return { namespace, name, verb };
}

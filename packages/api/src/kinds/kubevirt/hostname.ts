const LONGEST_LABEL = 63;

/** What the host name of a guest follows from: a VMI, or a VM's name with its template's spec. */
interface Named {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly hostname?: string | undefined } | undefined;
}

/** The host name of a guest: what the spec says, else the first part of the object's name, cut to what DNS allows. */
export function hostnameOf({ metadata, spec }: Named): string {
  if (spec?.hostname) return spec.hostname;
  const [first = ''] = metadata.name.split('.');
  return first.slice(0, LONGEST_LABEL).replace(/-+$/, '');
}

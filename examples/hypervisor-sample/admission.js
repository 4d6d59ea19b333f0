const LABEL = 'sample.example.com/tier';

/** What this hypervisor adds to admission. */
export const admission = {
  /** Early, before the defaults: brings the VM into the form that it needs. Never changes what it is given. */
  mutateVmi(vmi) {
    const { labels } = vmi.metadata ?? {};
    if (labels?.[LABEL]) return vmi;
    return { ...vmi, metadata: { ...vmi.metadata, labels: { ...labels, [LABEL]: 'standard' } } };
  },

  /** After the defaults: what it cannot do, each with its field. It sets nothing. */
  validate(spec, path) {
    const field = `${path}.domain.devices.autoattachVSOCK`;
    if (!spec.domain.devices?.autoattachVSOCK) return [];
    return [{ type: 'FieldValueNotSupported', field, text: `${field}: sample VMIs have no VSOCK` }];
  },
};

const LABEL = 'sample.example.com/tier';

/** The admission contract of this hypervisor. */
export const admission = {
  /** Runs early, before the defaults. Returns the VMI in the form that the hypervisor needs; never modifies its argument. */
  mutateVmi(vmi) {
    const { labels } = vmi.metadata ?? {};
    if (labels?.[LABEL]) return vmi;
    return { ...vmi, metadata: { ...vmi.metadata, labels: { ...labels, [LABEL]: 'standard' } } };
  },

  /** Runs after the defaults. Returns what the hypervisor does not support, each with its field; cannot change the VMI. */
  validate(spec, path) {
    const field = `${path}.domain.devices.autoattachVSOCK`;
    if (!spec.domain.devices?.autoattachVSOCK) return [];
    return [{ type: 'FieldValueNotSupported', field, text: `${field}: sample VMIs have no VSOCK` }];
  },
};

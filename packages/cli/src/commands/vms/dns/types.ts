/** The records that can be asked for. */
export const TYPES = ['A', 'AAAA', 'CNAME', 'PTR', 'SRV', 'TXT'] as const;
export type RecordType = (typeof TYPES)[number];

/** The address of the host outside, and that of the host with the guests on the same cable. */
export const OUTSIDE = '192.0.2.1';
export const UPLINK = '192.0.2.2';
/** The name of either end of the cable. */
export const OUTSIDE_DEVICE = 'outside0';
export const UPLINK_DEVICE = 'uplink0';

/** Where guests find the host outside, and where it and others find guests. */
export const PORTS = { control: 5000, source: 5001, sink: 5002, echo: 5003 } as const;

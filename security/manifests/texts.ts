/** Strings that do harm where somebody pastes them into XML, a path, a command, a log or an object. */
export interface HostileText {
  readonly label: string;
  readonly text: string;
}

/** What a round writes into fields. `marker` is a word of its own, by which traces of it are found everywhere. */
export const hostileTexts = (marker: string): readonly HostileText[] => [
  { label: 'an element', text: `</name><injected at="${marker}"/><name>` },
  { label: 'an attribute', text: `"' injected="${marker}` },
  { label: 'an entity', text: `]]><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;${marker}` },
  { label: 'a line of a log', text: `x\nFORGED ${marker}` },
  { label: 'a header', text: `x\r\nForged: ${marker}` },
  { label: 'a way up', text: `../../../../../../../../tmp/${marker}` },
  { label: 'a path', text: `/tmp/${marker}` },
  { label: 'a command', text: `$(touch /tmp/${marker});\`touch /tmp/${marker}\`|touch /tmp/${marker} #` },
  { label: 'options of QEMU', text: `x,file=/tmp/${marker},,y=1 -S` },
  { label: 'NUL', text: `a\0${marker}` },
  { label: 'a terminal', text: `\x1b[2J\x1b]0;${marker}\x07` },
  { label: 'a prototype', text: '__proto__' },
  { label: 'much', text: marker.repeat(Math.ceil(70_000 / marker.length)) },
];

/** The same field with something that harms nobody. */
export const HARMLESS = 'plain';

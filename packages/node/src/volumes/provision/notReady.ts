/** What a volume is to be made from cannot be read now; it is tried again. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** What a volume is to be made from is on another node, which will make the volume there. */
export class OnAnotherNode extends Error {
  override readonly name = 'OnAnotherNode';
}

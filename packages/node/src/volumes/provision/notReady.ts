/** What a volume is to be made from cannot be read now; it is tried again. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** What a volume is to be made from is on another node, and local volumes are not copied from node to node. */
export class OnAnotherNode extends Error {
  override readonly name = 'OnAnotherNode';

  /** `source`: what is to be copied. `where`: the node that has it, if that is known. `node`: this one. */
  constructor(source: string, where: string | undefined, node: string) {
    super(
      `${source} is ${where === undefined ? 'not on this node' : `on node ${where}`}, but the volume is to be on node ` +
        `${node}: delete the claim and let its VM run ${where === undefined ? 'where the source is' : `on ${where}`}, ` +
        'or keep the source in a class of a shared directory',
    );
  }
}

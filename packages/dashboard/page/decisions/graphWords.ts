import { type GraphModel, type GraphObject, isProblem } from './graphModel.ts';

/** Whether an object is there, in words. */
export function statusWords({ status, isOptional, isTruncated }: GraphObject): string {
  const words = {
    present: 'present',
    missing: 'missing',
    forbidden: 'not visible to you: it may exist or not',
  }[status];
  return [words, ...(isOptional ? ['optional'] : []), ...(isTruncated ? ['needs more than is shown'] : [])].join(', ');
}

/** An object for those who hear the drawing, and as its tooltip. */
export const describe = (object: GraphObject): string =>
  `${object.kind} ${object.name}${object.namespace && object.count === 1 ? ` in ${object.namespace}` : ''}: ${statusWords(object)}`;

/** What the whole graph says: `9 objects; 1 is missing, 2 are not visible to you.` */
export function summaryOf({ objects }: GraphModel): { readonly text: string; readonly isBad: boolean } {
  const all = [...objects.values()];
  const missing = all.filter((object) => object.status === 'missing' && isProblem(object)).length;
  const absent = all.filter(({ status, isOptional }) => status === 'missing' && isOptional).length;
  const forbidden = all.filter(({ status }) => status === 'forbidden').length;
  const cut = all.filter(({ isTruncated }) => isTruncated).length;
  const parts = [
    ...(missing > 0 ? [`${missing} ${missing === 1 ? 'is' : 'are'} missing`] : []),
    ...(forbidden > 0 ? [`${forbidden} ${forbidden === 1 ? 'is' : 'are'} not visible to you`] : []),
    ...(absent > 0 ? [`${absent} optional ${absent === 1 ? 'one is' : 'ones are'} not there`] : []),
    ...(cut > 0 ? [`${cut} ${cut === 1 ? 'needs' : 'need'} more than is shown`] : []),
  ];
  const count = all.length - 1;
  const start = `Needs ${count} ${count === 1 ? 'object' : 'objects'}`;
  return {
    text: parts.length > 0 ? `${start}: ${parts.join(', ')}.` : `${start}, all there.`,
    isBad: missing > 0,
  };
}

/** Where an object is named: by which object, in which fields. */
export function namedBy(
  { links, objects }: GraphModel,
  key: string,
): { by: GraphObject; fieldPaths: readonly string[] }[] {
  return links.flatMap(({ from, to, fieldPaths }) => {
    const by = objects.get(from);
    return to === key && by ? [{ by, fieldPaths }] : [];
  });
}

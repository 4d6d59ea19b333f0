/**
 * The path and the query of a request as they were sent. Nothing is made better on the way, as a URL would do: whoever
 * decides by the path and whoever serves it see the same one.
 */
export function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf('?');
  return {
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
  };
}

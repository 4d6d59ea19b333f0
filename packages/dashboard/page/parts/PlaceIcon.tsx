/** What stands before the names of pages, drawn in lines. */
const PATHS: Readonly<Record<string, string>> = {
  '/': 'M1.5 2.5h13v8.5h-13zM5.5 14h5M8 11v3',
  '/consoles': 'M1.5 2.5h13v11h-13zM4 6l2.5 2L4 10M8 10.5h4',
  '/sets': 'M5 5h9.5v9H5zM3 11.5V3h9.5M1 9V1h9.5',
  '/images': 'M2.5 4c0-3.3 11-3.3 11 0s-11 3.3-11 0zM2.5 4v8c0 3.3 11 3.3 11 0V4M2.5 8c0 3.3 11 3.3 11 0',
  '/nodes': 'M1.5 2h13v5h-13zM1.5 9h13v5h-13zM4 4.5h1M4 11.5h1M8 4.5h4M8 11.5h4',
  '/access': 'M5.5 7.5a3.25 3.25 0 1 0 .01 0zM8 8.5l6-6M11 5.5l2 2M13 3.5l1.5 1.5',
  '/settings':
    'M1.5 4h7M12 4h2.5M1.5 12H4M7.5 12h7M8.5 4a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 1 0-3.5 0zM4 12a1.75 1.75 0 1 0 3.5 0A1.75 1.75 0 1 0 4 12z',
};

export function PlaceIcon({ href }: { readonly href: string }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[href]} />
    </svg>
  );
}

let isPrepared = false;

/**
 * Makes an editor without a style element, which the Content-Security-Policy forbids. CodeMirror makes one for the whole
 * document with the first editor and keeps it; it gets an inert element instead, whose text becomes an adopted sheet.
 */
export function withAdoptedStyles<T>(make: () => T): T {
  if (isPrepared) return make();
  isPrepared = true;
  const before = Object.getOwnPropertyDescriptor(document, 'createElement');
  const create = Document.prototype.createElement.bind(document) as (name: string) => HTMLElement;
  Object.defineProperty(document, 'createElement', {
    value: (name: string) => (name === 'style' ? inertStyle(create('template')) : create(name)),
    configurable: true,
  });
  try {
    return make();
  } finally {
    if (before) Object.defineProperty(document, 'createElement', before);
    else Reflect.deleteProperty(document, 'createElement');
  }
}

function inertStyle(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return Object.defineProperty(element, 'textContent', { set: (text: string) => sheet.replaceSync(text) });
}

/**
 * Keeps xterm.js from inline styles, which the Content-Security-Policy forbids and which it has no option to avoid. It
 * writes style elements and, for colours, style attributes; the same styles are allowed through the CSS object model. While
 * this is in force, a `style` element is an inert one whose text becomes a sheet of the document, and the `style`
 * attribute of a span is set as the text of its style object. It stays in force until everybody who asked for it has called
 * what this returns: several terminals are open at once.
 */
export function avoidInlineStyles(): () => void {
  users += 1;
  if (users === 1) stop = begin();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    users -= 1;
    if (users === 0) stop();
  };
}

let users = 0;
let stop = (): void => {};

function begin(): () => void {
  const sheets = new Set<CSSStyleSheet>();
  const create = Document.prototype.createElement.bind(document) as (name: string) => HTMLElement;
  const redirected = (name: string): HTMLElement => {
    if (name === 'style') return inertStyle(create, sheets);
    const element = create(name);
    if (name === 'span') redirectStyleAttribute(element);
    return element;
  };
  Object.defineProperty(document, 'createElement', { value: redirected, configurable: true });
  return () => {
    Reflect.deleteProperty(document, 'createElement');
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet));
  };
}

function inertStyle(create: (name: string) => HTMLElement, sheets: Set<CSSStyleSheet>): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.add(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const remove = (): void => {
    sheets.delete(sheet);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  };
  return Object.defineProperties(create('template'), {
    textContent: { set: (text: string) => sheet.replaceSync(text) },
    // A terminal that is closed takes its styles with it.
    remove: { value: remove },
  });
}

function redirectStyleAttribute(element: HTMLElement): void {
  const setAttribute = element.setAttribute.bind(element);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else setAttribute(name, value);
  };
}

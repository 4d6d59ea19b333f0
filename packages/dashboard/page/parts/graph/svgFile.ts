/** What a drawing needs of its style sheet to look the same elsewhere. */
const PROPERTIES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'font-family',
  'font-size',
  'font-weight',
] as const;

/** A drawing of the page as a file of its own: with its styles, on the page's ground. */
export function svgFile(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const originals = drawing.querySelectorAll('*');
  for (const [index, element] of copy.querySelectorAll('*').entries()) {
    const original = originals[index];
    if (original) copyStyle(original, element);
    for (const name of ['class', 'tabindex', 'role', 'aria-pressed', 'aria-hidden', 'data-key'])
      element.removeAttribute(name);
  }
  copy.prepend(ground(drawing));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

function copyStyle(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const property of PROPERTIES) to.setAttribute(property, style.getPropertyValue(property));
}

function ground(drawing: SVGSVGElement): SVGRectElement {
  const rectangle = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  rectangle.setAttribute('width', '100%');
  rectangle.setAttribute('height', '100%');
  rectangle.setAttribute('fill', getComputedStyle(drawing).backgroundColor);
  return rectangle;
}

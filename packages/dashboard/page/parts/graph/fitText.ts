let context: CanvasRenderingContext2D | null | undefined;

/** How wide a text is drawn, in pixels. */
export function measure(text: string, font: string): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return text.length * 8;
  context.font = font;
  return context.measureText(text).width;
}

/** A text that fits; of long names both ends stay, because generated ones differ at their end. */
export function fitText(text: string, widthPx: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= widthPx) return text;
  const letters = [...text];
  for (let kept = letters.length - 1; kept > 1; kept--) {
    const head = Math.ceil(kept / 2);
    const shorter = `${letters.slice(0, head).join('')}…${letters.slice(letters.length - (kept - head)).join('')}`;
    if (widthOf(shorter) <= widthPx) return shorter;
  }
  return '…';
}
